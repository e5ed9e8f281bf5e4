import type { Tx } from '../db/database.ts'
import { recordEvent } from './record-event.ts'

/** Names the confirmation of a freeze by an instance of an edge, or of an agent with a key of its own. */
export interface ConfirmationKey {
  freezeId: string
  credentialId: string
  instanceId: string
}

/** A confirmation that was stored for the first time. Of `edgeId` and `agentId` one is null; the other is the credential. */
export interface NewConfirmation {
  freezeId: string
  edgeId: string | null
  agentId: string | null
  instanceId: string
  environmentId: string | null
}

/** The type of a row that names stored confirmations. Streams read it as `freeze.confirmed` and `freeze.progress`. */
export const storedConfirmations = 'freeze.confirmations'

/** The details of an event of the type `storedConfirmations`. Its size has a limit that does not depend on the number of confirmations. */
export interface StoredConfirmations {
  /** At most `mostNamed` confirmations, and at most `mostNamedOfPlace` of one environment. */
  named: ConfirmationKey[]
  /** The freezes that were confirmed, and of each the number of confirmations that `named` leaves out. */
  freezes: Record<string, number>
}

// A stream sends at most 20 confirmations a second. A caller who sees one environment should get those of this environment.
const mostNamedOfPlace = 20
const mostNamed = 100
const mostFreezes = 500

/**
 * Writes which freezes were confirmed, in the transaction that stored the confirmations. One event tells of all of them, or of at most 500
 * freezes if there are more. The confirmations may be of many instances and many freezes.
 */
export async function recordConfirmed(tx: Tx, confirmed: readonly NewConfirmation[], at: string): Promise<void> {
  const byFreeze = [...Map.groupBy(confirmed, ({ freezeId }) => freezeId).values()]
  const rows = Array.from({ length: Math.ceil(byFreeze.length / mostFreezes) }, (_, row) =>
    byFreeze.slice(row * mostFreezes, (row + 1) * mostFreezes).flat(),
  )
  await Promise.all(
    rows.map((each) =>
      recordEvent(tx, {
        type: storedConfirmations,
        audience: 'edge',
        resource: { type: 'tenant', id: tx.tenantId },
        details: { ...detailsOf(each) },
        at,
      }),
    ),
  )
}

function detailsOf(confirmed: readonly NewConfirmation[]): StoredConfirmations {
  const named: ConfirmationKey[] = []
  const freezes: Record<string, number> = {}
  const namedOfPlace = new Map<string | null, number>()
  for (const { freezeId, edgeId, agentId, instanceId, environmentId } of confirmed) {
    const count = namedOfPlace.get(environmentId) ?? 0
    const isNamed = named.length < mostNamed && count < mostNamedOfPlace
    freezes[freezeId] = (freezes[freezeId] ?? 0) + (isNamed ? 0 : 1)
    if (!isNamed) continue
    named.push({ freezeId, credentialId: (edgeId ?? agentId) as string, instanceId })
    namedOfPlace.set(environmentId, count + 1)
  }
  return { named, freezes }
}
