import type { Tx } from '../../db/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { type Inventory, lockInventory, storeVersion } from './inventory-queries.ts'

/** The type of the stored event that tells edges the version of an environment's pins. Its details are those of the edges' event. */
export const pinsVersionType = 'tools.pins'

/** Raises the version of a locked inventory, and tells edges of it after the commit. Returns the new version. */
export async function raiseLocked(
  tx: Tx,
  { environmentId, at }: { environmentId: string; at: string },
  inventory: Inventory,
  newTools = 0,
): Promise<number> {
  const version = inventory.version + 1
  await storeVersion(tx, environmentId, version, newTools)
  await recordEvent(tx, {
    type: pinsVersionType,
    audience: 'edge',
    resource: { type: 'environment', id: environmentId },
    environmentId,
    details: { version },
    at,
  })
  return version
}

/** Raises the version of an environment's pins, because `tool_pinning` changed. Lock the environment before. */
export async function raisePinsVersion(tx: Tx, environmentId: string, at: string): Promise<void> {
  await raiseLocked(tx, { environmentId, at }, await lockInventory(tx, environmentId))
}
