import type { CredentialEvent } from '@mandate/contract/edge-push'
import type { Tx } from '../db/database.ts'
import { recordEvent } from './record-event.ts'

/** The type of the stored event that tells edges the version of a credential. Its details are those of the edges' event. */
export const credentialVersionType = 'credential.version'

interface Told {
  id: string
  environmentId: string
  /** ISO 8601. */
  at: string
}

/** Tells the streams of an environment's edges which version a credential has, after the commit. */
export async function recordCredentialVersion(
  tx: Tx,
  { id, environmentId, at }: Told,
  event: CredentialEvent,
): Promise<void> {
  await recordEvent(tx, {
    type: credentialVersionType,
    audience: 'edge',
    resource: { type: 'credential', id },
    environmentId,
    details: event,
    at,
  })
}
