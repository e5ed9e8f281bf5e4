import { join } from 'node:path'
import type { RuleLimit } from '@mandate/policy/types'
import type { Logger } from 'pino'
import type { SharedClock } from '../state/shared-clock.ts'
import { DatabaseDamaged, UsesDatabase } from './uses-database.ts'

/** A rule with a limit that an agent uses. */
export interface LimitedRule {
  ruleId: string
  limit: RuleLimit
}

/** A use that was counted. */
export interface CountedUse {
  agentId: string
  ruleId: string
  untilMs: number
}

/** Counted uses, or the rule that may not be used: its limit is used up, or its uses are not known (`uses` is then undefined). */
export type Taken = { counted: CountedUse[] } | { ruleId: string; uses: number | undefined }

/** Into how many parts a window is divided. A use stops counting at most one part after the end of its window. */
const parts = 60
/** How often counts whose window is over are deleted at most. */
const cleanUpMs = 60 * 60_000
/** Maximum number of counts in `lastCounted`. */
const mostRemembered = 10_000
/** A smaller change of the wall clock is no jump. */
const smallestJumpMs = 1000
/** How often the same kind of failure is logged at most. */
const logMs = 60_000

/**
 * How often agents used rules with limits within their windows, on disk, shared by all edges of one state folder. If a count cannot be
 * read or written, it is not known, and the rule must not be used.
 *
 * Uses are counted by parts of the window: a row has the end of its part and the number of uses. A use counts until the end of its part
 * is a window ago, so there are never more uses than the limit in any window. A row after the current part is from before the clock was
 * set back. It moves to the current part, so that the change of the clock frees nothing. If the clock is set ahead, all rows move with it.
 */
export class RuleUseCounts {
  private readonly folder: string
  private readonly now: () => number
  private readonly log: Logger
  private readonly isSynced: boolean
  private readonly shared: SharedClock | null
  private database: UsesDatabase | null = null
  private wasOpen = false
  /** The count after the last `take`, by agent and rule. */
  private readonly lastCounted = new Map<string, number>()
  private cleanedMs = Number.NEGATIVE_INFINITY
  private loggedMs = Number.NEGATIVE_INFINITY

  /**
   * Nothing is opened before the first use of a rule with a limit. `shared` is the folder that the edges share. `isSynced` says whether each
   * use is forced to the disk. Without a shared clock, a wall clock that is set ahead frees uses.
   */
  constructor(
    shared: string,
    {
      now,
      log,
      isSynced,
      clock = null,
    }: { now: () => number; log: Logger; isSynced: boolean; clock?: SharedClock | null },
  ) {
    this.folder = join(shared, 'limits')
    this.shared = clock
    this.now = now
    this.log = log
    this.isSynced = isSynced
  }

  /** Returns how often an agent used a rule within its window. Undefined if it is not known. */
  uses(agentId: string, rule: LimitedRule): number | undefined {
    return this.attempt((database) => {
      const found = database.read(() => this.sum(database, agentId, rule))
      const isMoved = database.read(() => this.jumpMs(database)) !== 0
      if (!found.isAhead && !isMoved) return found.uses
      return database.alone(() => {
        this.follow(database)
        return this.settle(database, agentId, rule).uses
      })
    })
  }

  /**
   * Returns the count of a rule after the last `take` of this process. Reads nothing from the disk. Undefined if `take` has not counted the rule.
   * The count may be stale: uses expire, and other processes add uses. So call `take` or `uses` before a call passes.
   */
  usesBefore(agentId: string, ruleId: string): number | undefined {
    return this.lastCounted.get(keyOf(agentId, ruleId))
  }

  /** Counts a use of each rule, all or none. */
  take(agentId: string, rules: readonly LimitedRule[]): Taken {
    const first = rules[0] as LimitedRule
    const unknown: Taken = { ruleId: first.ruleId, uses: undefined }
    return this.attempt((database) => database.alone(() => this.takeAlone(database, agentId, rules))) ?? unknown
  }

  /** Takes back uses whose calls did not pass. If this fails, they stay counted. */
  release(counted: readonly CountedUse[]): void {
    this.attempt((database) =>
      database.alone(() => {
        for (const { agentId, ruleId, untilMs } of counted) {
          database
            .statement(
              'update uses set uses = uses - 1 where agent_id = ? and rule_id = ? and until_ms = ? and uses > 0',
            )
            .run(agentId, ruleId, untilMs)
        }
      }),
    )
  }

  close(): void {
    this.database?.close()
    this.database = null
  }

  private remember(agentId: string, ruleId: string, uses: number): void {
    if (this.lastCounted.size >= mostRemembered) this.lastCounted.clear()
    this.lastCounted.set(keyOf(agentId, ruleId), uses)
  }

  private takeAlone(database: UsesDatabase, agentId: string, rules: readonly LimitedRule[]): Taken {
    this.follow(database)
    this.cleanUp(database)
    const settled = rules.map((rule) => ({ ...rule, ...this.settle(database, agentId, rule) }))
    for (const { ruleId, uses, limit } of settled) {
      if (uses === undefined || uses >= limit.count) return { ruleId, uses }
    }
    for (const { ruleId, uses } of settled) this.remember(agentId, ruleId, (uses ?? 0) + 1)
    return { counted: settled.map((rule) => this.add(database, agentId, rule, 1)) }
  }

  /** Moves uses from before the clock was set back to the current part, and returns the uses within the window. Call `follow` first. */
  private settle(
    database: UsesDatabase,
    agentId: string,
    rule: LimitedRule,
  ): { uses: number | undefined; now: number } {
    const now = this.now()
    const found = this.sum(database, agentId, rule, now)
    if (!found.isAhead) return { uses: found.uses, now }
    database.statement('update known set from_ms = ? where from_ms > ?').run(now, now)
    const ahead = database
      .statement('delete from uses where agent_id = ? and rule_id = ? and until_ms > ? returning uses')
      .all(agentId, rule.ruleId, latestEnd(rule.limit, now))
    const moved = ahead.reduce((sum, { uses }) => sum + Number(uses), 0)
    if (moved > 0) this.add(database, agentId, { ...rule, now }, moved)
    return { uses: this.sum(database, agentId, rule, now).uses, now }
  }

  /** Returns how far the wall clock jumped since the last use. Null if it is not known. */
  private jumpMs(database: UsesDatabase): number | null {
    if (this.shared === null) return 0
    const row = database.statement('select boot, offset_ms from clock').get()
    if (row?.boot !== this.shared.boot) return null
    const jump = this.offsetMs(this.shared) - Number(row.offset_ms)
    return Math.abs(jump) < smallestJumpMs ? 0 : jump
  }

  private offsetMs(shared: SharedClock): number {
    return Math.round(this.now() - shared.ms())
  }

  /** Moves all uses with a wall clock that was set ahead, so that their age stays the same. */
  private follow(database: UsesDatabase): void {
    const jump = this.jumpMs(database)
    if (this.shared === null || jump === 0) return
    if (jump !== null && jump > 0) {
      // The sign keeps the new times apart from the old ones, because a time is a part of the key.
      database.statement('update uses set until_ms = -(until_ms + ?), expires_ms = expires_ms + ?').run(jump, jump)
      database.statement('update uses set until_ms = -until_ms where until_ms < 0').run()
      database.statement('update known set from_ms = from_ms + ? where from_ms > 0').run(jump)
    }
    database.statement('delete from clock').run()
    const { boot } = this.shared
    database.statement('insert into clock (boot, offset_ms) values (?, ?)').run(boot, this.offsetMs(this.shared))
  }

  private sum(database: UsesDatabase, agentId: string, { ruleId, limit }: LimitedRule, now = this.now()) {
    const windowMs = limit.window_s * 1000
    const row = database
      .statement(
        `select (select from_ms from known) as known_from, coalesce(sum(uses), 0) as uses, max(until_ms) as latest
         from uses where agent_id = ? and rule_id = ? and until_ms > ?`,
      )
      .get(agentId, ruleId, now - windowMs) as { known_from: number; uses: number; latest: number | null }
    const isAhead = row.known_from > now || (row.latest !== null && row.latest > latestEnd(limit, now))
    return { uses: row.known_from > now - windowMs ? undefined : row.uses, isAhead }
  }

  private add(
    database: UsesDatabase,
    agentId: string,
    { ruleId, limit, now }: LimitedRule & { now: number },
    uses: number,
  ): CountedUse {
    const untilMs = latestEnd(limit, now)
    const expiresMs = untilMs + limit.window_s * 1000
    // Most uses add to an existing row. This update does not touch the index by `expires_ms`.
    const { changes } = database
      .statement(
        'update uses set uses = uses + ? where agent_id = ? and rule_id = ? and until_ms = ? and expires_ms = ?',
      )
      .run(uses, agentId, ruleId, untilMs, expiresMs)
    if (Number(changes) > 0) return { agentId, ruleId, untilMs }
    database
      .statement(
        `insert into uses (agent_id, rule_id, until_ms, uses, expires_ms) values (?, ?, ?, ?, ?)
         on conflict (agent_id, rule_id, until_ms) do update set uses = uses + excluded.uses, expires_ms = excluded.expires_ms`,
      )
      .run(agentId, ruleId, untilMs, uses, expiresMs)
    return { agentId, ruleId, untilMs }
  }

  private cleanUp(database: UsesDatabase): void {
    const now = this.now()
    if (Math.abs(now - this.cleanedMs) < cleanUpMs) return
    this.cleanedMs = now
    database.statement('delete from uses where expires_ms <= ?').run(now)
  }

  /** Runs `work` with the database. Returns undefined if it fails. A damaged database is replaced, so that later counts are known. */
  private attempt<T>(work: (database: UsesDatabase) => T): T | undefined {
    try {
      return work(this.open())
    } catch (error) {
      this.tell(error as Error)
      this.discard()
      if (error instanceof DatabaseDamaged) this.replace()
      return undefined
    }
  }

  private open(): UsesDatabase {
    if (this.database?.isCurrent() === false) this.discard()
    this.database ??= UsesDatabase.open(this.folder, this.wasOpen ? this.now() : null, this.isSynced)
    this.wasOpen = true
    return this.database
  }

  private discard(): void {
    try {
      this.close()
    } catch {
      this.database = null
    }
  }

  private replace(): void {
    try {
      UsesDatabase.replace(this.folder, this.now())
    } catch (error) {
      this.tell(error as Error)
    }
  }

  private tell(error: Error): void {
    const nowMs = performance.now()
    if (nowMs - this.loggedMs < logMs) return
    this.loggedMs = nowMs
    this.log.error(
      { folder: this.folder, reason: error.message },
      'it is not known how often rules with limits were used, so these rules allow no call: check the disk',
    )
  }
}

const keyOf = (agentId: string, ruleId: string) => `${agentId} ${ruleId}`

/** The end of the part of the window that is current, in whole milliseconds. */
function latestEnd({ window_s }: RuleLimit, now: number): number {
  const partMs = (window_s * 1000) / parts
  return Math.ceil((Math.floor(now / partMs) + 1) * partMs)
}
