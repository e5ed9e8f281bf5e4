import type { Freeze } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import type { ConfirmationKey } from '../../../events/confirmation-events.ts'
import { findFreeze } from '../freeze-queries.ts'
import type { QuietTime } from '../instance-queries.ts'
import { edgesOf } from '../reach.ts'
import { findSeenConfirmations, type SeenRow } from './stream-queries.ts'

/** A confirmation with the id of its event. */
export interface NamedConfirmation extends ConfirmationKey {
  eventId: string
}

/** A confirmation that an actor sees. `place` counts the confirmations that were asked for, from 1. */
export type SeenConfirmation = SeenRow & { eventId: string }

/** How far a freeze or drill was confirmed, as `GET /freezes/{id}` says it to the actor. */
export interface FreezeProgress {
  freezeId: string
  drill: boolean
  agentId: string | null
  /** The environment of the target. */
  environmentId: string | null
  /** Null if the freeze is over and the actor sees only a part of it. */
  confirmed: number | null
  total: number | null
}

/** Reads confirmations as one actor sees them. Reads the same confirmations and the progress of a freeze only once. */
export class ConfirmationReader {
  private readonly sql: Sql
  private readonly actor: Member
  private readonly quiet: QuietTime
  private readonly read = new Map<string, Promise<SeenConfirmation[]>>()
  private readonly progressOf = new Map<string, Promise<FreezeProgress | undefined>>()

  constructor(sql: Sql, actor: Member, quiet: QuietTime) {
    this.sql = sql
    this.actor = actor
    this.quiet = quiet
  }

  /** Returns the first `limit` confirmations that the actor sees, in their order. */
  confirmations(wanted: readonly NamedConfirmation[], limit: number): Promise<SeenConfirmation[]> {
    const key = `${limit} ${wanted.map(({ eventId }) => eventId).join()}`
    const found = this.read.get(key) ?? this.find(wanted, limit)
    this.read.set(key, found)
    return found
  }

  /** Returns undefined for a freeze that the actor does not see. */
  progress(freezeId: string): Promise<FreezeProgress | undefined> {
    const found = this.progressOf.get(freezeId) ?? this.count(freezeId)
    this.progressOf.set(freezeId, found)
    return found
  }

  private async find(wanted: readonly NamedConfirmation[], limit: number): Promise<SeenConfirmation[]> {
    const rows = await findSeenConfirmations(this.sql, this.actor, wanted, limit)
    return rows.map((row) => ({ ...row, eventId: wanted[row.place - 1]?.eventId as string }))
  }

  private async count(freezeId: string): Promise<FreezeProgress | undefined> {
    const freeze = await findFreeze(this.sql, this.actor, freezeId)
    if (!freeze) return undefined
    const { edges }: Pick<Freeze, 'edges'> = await edgesOf(this.sql, this.actor, freeze, this.quiet)
    return {
      freezeId,
      drill: freeze.drill,
      agentId: freeze.scope === 'agent' ? freeze.target_id : null,
      environmentId: freeze.environment_id,
      confirmed: edges?.confirmed ?? null,
      total: edges?.total ?? null,
    }
  }
}
