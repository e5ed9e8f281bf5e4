import type { CompiledPolicy } from '@mandate/policy/evaluate'
import type { RuleUses } from '@mandate/policy/types'
import type { CountedUse, LimitedRule, RuleUseCounts } from './rule-use-counts.ts'

/**
 * How often the agent of one call used rules with limits. A count is read from the disk at most once, when the decision needs it. If an earlier call
 * left a count below its limit, `get` returns that count and reads nothing. The count may be stale, so `take` or `confirm` must check it before the
 * call passes.
 */
export class CallUses implements RuleUses {
  private readonly counts: RuleUseCounts
  private readonly agentId: string
  private readonly policy: CompiledPolicy | undefined
  private readonly known = new Map<string, number | undefined>()
  private readonly assumed = new Map<string, LimitedRule>()
  private counted: readonly CountedUse[] = []

  constructor(counts: RuleUseCounts, agentId: string, policy: CompiledPolicy | undefined) {
    this.counts = counts
    this.agentId = agentId
    this.policy = policy
  }

  /** Whether these are the uses of the rules of this policy. */
  isOf(policy: CompiledPolicy | undefined): boolean {
    return this.policy === policy
  }

  get(ruleId: string): number | undefined {
    const limit = this.policy?.limits.get(ruleId)
    if (limit !== undefined && !this.known.has(ruleId)) this.learn({ ruleId, limit })
    return this.known.get(ruleId)
  }

  private learn(rule: LimitedRule): void {
    const before = this.counts.usesBefore(this.agentId, rule.ruleId)
    if (before !== undefined && before < rule.limit.count) {
      this.assumed.set(rule.ruleId, rule)
      this.known.set(rule.ruleId, before)
    } else this.known.set(rule.ruleId, this.counts.uses(this.agentId, rule))
  }

  /**
   * Reads the counts that may be stale. Returns false if one of the limits is used up. Then the call must be decided again, and `get` returns the
   * new counts.
   */
  confirm(): boolean {
    let areRight = true
    for (const [ruleId, { limit }] of this.assumed) {
      const uses = this.counts.uses(this.agentId, { ruleId, limit })
      this.known.set(ruleId, uses)
      if (uses === undefined || uses >= limit.count) areRight = false
    }
    this.assumed.clear()
    return areRight
  }

  /**
   * Counts a use of the rules that allow the call. Returns false if another call has used up one of them meanwhile. Then the call must be
   * decided again, and `get` returns the new count.
   */
  take(ruleIds: readonly string[]): boolean {
    const rules: LimitedRule[] = ruleIds.flatMap((ruleId) => {
      const limit = this.policy?.limits.get(ruleId)
      return limit === undefined ? [] : [{ ruleId, limit }]
    })
    if (rules.length === 0) return true
    const taken = this.counts.take(this.agentId, rules)
    if ('counted' in taken) this.counted = taken.counted
    else {
      this.known.set(taken.ruleId, taken.uses)
      this.assumed.delete(taken.ruleId)
    }
    return 'counted' in taken
  }

  /** Takes back the uses of a call that does not pass after all. */
  release(): void {
    if (this.counted.length > 0) this.counts.release(this.counted)
    this.counted = []
  }
}
