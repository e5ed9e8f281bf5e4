import { isRecord } from '@mandate/contract/fields/is-record'
import type { CompiledPolicy, Verdict } from './evaluate.ts'
import type { RuleUses } from './types.ts'

/** Counts how often agents use rules with limits, in calls that are decided one after the other. Every call is within every window. */
export class CountedUses {
  private readonly byAgent = new Map<string, Map<string, number>>()

  /** Returns the uses of the agent of a call. An agent is known by its `id`. All calls without one have the same agent. */
  of(agent: unknown): RuleUses {
    const uses = this.byAgent.get(keyOf(agent))
    return { get: (ruleId) => uses?.get(ruleId) ?? 0 }
  }

  /** Counts a call that was allowed. */
  count({ limits }: CompiledPolicy, agent: unknown, { rule_id: id }: Pick<Verdict, 'rule_id'>): void {
    if (id === null || !limits.has(id)) return
    const key = keyOf(agent)
    const uses = this.byAgent.get(key) ?? new Map<string, number>()
    this.byAgent.set(key, uses.set(id, (uses.get(id) ?? 0) + 1))
  }
}

function keyOf(agent: unknown): string {
  return isRecord(agent) && typeof agent.id === 'string' ? agent.id : ''
}
