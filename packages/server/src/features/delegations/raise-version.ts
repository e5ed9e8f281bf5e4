import type { Tx } from '../../db/database.ts'
import { recordEvent } from '../../events/record-event.ts'

/** The type of the stored event that tells edges the version of an environment's list. Its details are those of the edges' event. */
export const delegationsVersionType = 'delegations.version'

/** Tells the edges of an environment the version of its list, after the commit. */
export async function tellList(
  tx: Tx,
  { environmentId, version, at }: { environmentId: string; version: number; at: string },
): Promise<void> {
  await recordEvent(tx, {
    type: delegationsVersionType,
    audience: 'edge',
    resource: { type: 'environment', id: environmentId },
    environmentId,
    details: { version },
    at,
  })
}
