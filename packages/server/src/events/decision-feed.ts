import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { isListenedTo } from './queries.ts'
import { recordEvent } from './record-event.ts'

/** A stored decision, with what is needed to read it. */
export interface FeedDecision {
  decisionId: string
  agentId: string
  retentionDays: number
  /** ISO 8601. */
  filedAt: string
}

/** The details of an event of the type `storedDecisions`. Streams read it as `decision.recorded` and `decision.skipped`. */
export interface StoredDecisions {
  /** The newest decisions, oldest first: at most `mostNamed`, and at most `mostNamedOfAgent` of one agent. */
  decisions: FeedDecision[]
  total: number
  /** The number of decisions of each agent, for at most `mostCountedAgents` agents. */
  byAgent: Record<string, number>
}

/** The type of a row that names stored decisions. It is no type of the stream. */
export const storedDecisions = 'decision.stored'

export const everyMs = 100
export const mostNamed = 100
export const mostNamedOfAgent = 10
export const mostCountedAgents = 500

/**
 * Writes which decisions were stored, at most every 100 ms for each tenant, so that streams can show them. A batch of decisions writes no event of
 * its own. Without listeners nothing is written. Whether somebody listens is read each time, after the decisions were committed. A remembered answer
 * would miss decisions for a listener that has just joined, perhaps on another instance.
 */
export class DecisionFeed {
  private readonly db: Database
  private readonly log: Logger
  private readonly waiting = new Map<string, Gathered>()
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<unknown> = Promise.resolve()

  constructor(db: Database, log: Logger) {
    this.db = db
    this.log = log
  }

  /** Call this after the commit. */
  add(tenantId: string, stored: readonly FeedDecision[]): void {
    if (stored.length === 0) return
    const gathered = this.waiting.get(tenantId) ?? new Gathered()
    this.waiting.set(tenantId, gathered)
    for (const decision of stored) gathered.add(decision)
    this.timer ??= setTimeout(() => this.write(), 0)
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    this.write()
    clearTimeout(this.timer)
    await this.writing
  }

  private write(): void {
    const waiting = [...this.waiting]
    this.waiting.clear()
    this.timer = undefined
    if (waiting.length === 0) return
    this.writing = Promise.all(waiting.map(([tenantId, gathered]) => this.writeOne(tenantId, gathered)))
    // Decisions that are stored meanwhile are written together.
    this.timer = setTimeout(() => this.write(), everyMs)
    this.timer.unref()
  }

  private async writeOne(tenantId: string, gathered: Gathered): Promise<void> {
    const at = new Date().toISOString()
    try {
      if (!(await isListenedTo(this.db.reader(tenantId), at))) return
      await this.db.transaction(tenantId, (tx) =>
        recordEvent(tx, {
          type: storedDecisions,
          audience: 'agent',
          resource: { type: 'tenant', id: tenantId },
          details: { ...gathered.result() },
          at,
        }),
      )
    } catch (error) {
      this.log.warn({ err: error, tenant_id: tenantId }, 'stored decisions could not be announced to event streams')
    }
  }
}

/** Decisions of one tenant that wait. Its size does not depend on their number. */
class Gathered {
  private total = 0
  private readonly byAgent = new Map<string, number>()
  private readonly newestOfAgent = new Map<string, FeedDecision[]>()

  add(decision: FeedDecision): void {
    const { agentId } = decision
    this.total++
    const count = this.byAgent.get(agentId) ?? 0
    if (count === 0 && this.byAgent.size >= mostCountedAgents) return
    this.byAgent.set(agentId, count + 1)
    const newest = this.newestOfAgent.get(agentId) ?? []
    newest.push(decision)
    if (newest.length > mostNamedOfAgent) newest.shift()
    this.newestOfAgent.set(agentId, newest)
  }

  result(): StoredDecisions {
    const decisions = [...this.newestOfAgent.values()].flat().slice(-mostNamed)
    return { decisions, total: this.total, byAgent: Object.fromEntries(this.byAgent) }
  }
}
