import { sessionLifeMs } from '../sessions/sessions.ts'
import type { Basis } from './records.ts'

/** Maximum number of different calls that are remembered for one server. */
const mostCalls = 1000

interface Sent {
  readonly basis: Basis
  readonly atMs: number
}

/**
 * The different calls that an agent made to each tool server in the life of a session. Calls of one session that give it the same labels
 * count once.
 */
export class SentCalls {
  private readonly byServer = new Map<string, Map<string, Sent>>()
  /** When a call was forgotten because there were too many, by server. */
  private readonly forgottenMs = new Map<string, number>()
  private readonly now: () => number

  constructor(now = () => performance.now()) {
    this.now = now
  }

  note(server: string, basis: Basis): void {
    const sent = this.byServer.get(server) ?? new Map<string, Sent>()
    this.byServer.set(server, sent)
    const { session, call, toolLabels } = basis
    const key = JSON.stringify([session, call.tool, call.otherTools, [...toolLabels].sort()])
    sent.delete(key)
    sent.set(key, { basis, atMs: this.now() })
    const [oldest] = sent
    if (sent.size <= mostCalls || !oldest) return
    sent.delete(oldest[0])
    this.forgottenMs.set(server, this.now())
  }

  /** Returns the calls to a server. `isComplete` is false if some calls were forgotten. */
  to(server: string): { bases: readonly Basis[]; isComplete: boolean } {
    const before = this.now() - sessionLifeMs
    const sent = this.byServer.get(server)
    for (const [key, { atMs }] of sent ?? []) {
      if (atMs >= before) break
      sent?.delete(key)
    }
    const bases = [...(sent?.values() ?? [])].map(({ basis }) => basis)
    return { bases, isComplete: (this.forgottenMs.get(server) ?? Number.NEGATIVE_INFINITY) < before }
  }
}
