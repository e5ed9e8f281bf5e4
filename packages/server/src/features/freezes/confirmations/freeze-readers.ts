import type { Member } from '../../../authz/actor.ts'
import { viewerOf } from '../../../authz/sight.ts'
import type { Sql } from '../../../db/database.ts'
import { findReadable } from './stream-queries.ts'

/**
 * - `freeze`: the actors who see the freeze.
 * - `agents`: the actors who see an agent that it covers, or its target.
 * - `many agents`: scoped users who see so many agents that it would take too long to say whether the freeze covers one of them.
 */
export type FreezeReaders = 'freeze' | 'agents' | 'many agents'

/** Says whether an actor is one of the readers of a freeze. */
export type Reads = (actor: Member, freezeId: string, readers: FreezeReaders) => boolean

/** Reads who sees which of the freezes now: one statement for each set of rows that actors see. */
export async function findFreezeReaders(
  db: Sql,
  actors: readonly Member[],
  freezeIds: readonly string[],
): Promise<Reads> {
  if (freezeIds.length === 0) return () => false
  const viewers = new Map(actors.map((actor) => [viewerOf(actor), actor]))
  const found = new Map(
    await Promise.all(
      [...viewers].map(async ([viewer, actor]) => {
        const rows = await findReadable(db, actor, freezeIds)
        return [viewer, new Map(rows.map((row) => [row.id, row]))] as const
      }),
    ),
  )
  return (actor, freezeId, readers) => {
    const readable = found.get(viewerOf(actor))?.get(freezeId)
    if (!readable) return false
    if (readers === 'freeze') return readable.freeze
    return readers === 'agents' ? readable.agents === true : readable.agents === null
  }
}
