import type { FeedDecision, StoredDecisions } from '../../../events/decision-feed.ts'

/** Maximum number of decisions that a stream sends in a second. The rest is counted. */
export const mostInWindow = 20
const windowMs = 1_000

/** Limits how many decisions a stream sends. At the end of a second in which decisions were left out, `onSkipped` gets their number, and the row of the last one. */
export class DecisionWindow {
  private startedAt = Number.NEGATIVE_INFINITY
  private sent = 0
  private skipped = 0
  private timer: NodeJS.Timeout | undefined
  private rowId = ''
  private readonly onSkipped: (skipped: number, rowId: string) => void

  constructor(onSkipped: (skipped: number, rowId: string) => void) {
    this.onSkipped = onSkipped
  }

  /** Takes as many of the newest decisions of a row as the second has room for. */
  take(rowId: string, { decisions, total }: WantedDecisions): readonly FeedDecision[] {
    const now = performance.now()
    if (now - this.startedAt >= windowMs) {
      this.report()
      this.startedAt = now
      this.sent = 0
    }
    this.rowId = rowId
    const room = Math.min(mostInWindow - this.sent, decisions.length)
    const taken = room > 0 ? decisions.slice(-room) : []
    this.sent += taken.length
    this.skipped += Math.max(total, decisions.length) - taken.length
    if (this.skipped > 0) this.timer ??= setTimeout(() => this.report(), this.startedAt + windowMs - now)
    return taken
  }

  close(): void {
    clearTimeout(this.timer)
  }

  private report(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.skipped === 0) return
    this.onSkipped(this.skipped, this.rowId)
    this.skipped = 0
  }
}

/** Decisions of a row that a stream wants, and their number, which includes those that the row does not name. */
export interface WantedDecisions {
  decisions: FeedDecision[]
  total: number
}

/** The decisions of a row that a stream wants, and how many there are: those of one agent, or of the agents that the caller sees. */
export function wantedOf(
  { decisions, total, byAgent }: StoredDecisions,
  wanted: string,
  seen: ReadonlySet<string> | 'all',
): WantedDecisions {
  const isWanted = (agentId: string) =>
    (wanted === 'all' || wanted === agentId) && (seen === 'all' || seen.has(agentId))
  if (wanted === 'all' && seen === 'all') return { decisions, total }
  const counts = Object.entries(byAgent).filter(([agentId]) => isWanted(agentId))
  return {
    decisions: decisions.filter(({ agentId }) => isWanted(agentId)),
    total: counts.reduce((sum, [, count]) => sum + count, 0),
  }
}
