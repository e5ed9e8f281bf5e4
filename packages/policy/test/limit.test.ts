import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeSummary, diffSnapshots } from '../src/changes/diff.ts'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { evaluateTool, reachTool } from '../src/evaluate-tool.ts'
import { limitText } from '../src/limit.ts'
import { mayPass } from '../src/may-pass.ts'
import { takeSnapshot } from '../src/snapshot.ts'
import { type Effect, noUses, type Rule, type RuleUses, type Snapshot } from '../src/types.ts'
import { validateDocument } from '../src/validate.ts'
import { call, snapshot } from './arbitrary-policy.ts'

const rule = (id: string, effect: Effect, limit?: unknown): Rule => ({
  id,
  name: `rule ${id}`,
  priority: Number(id.slice(1)),
  enabled: true,
  effect,
  match: { tools: ['fn:mail/*'], when: [] },
  reason: '',
  ...(limit !== undefined && { limit: limit as Rule['limit'] }),
})
const hourly = { count: 10, window_s: 3600 }
const used = (count: number): RuleUses => ({ get: () => count })
const decide = (rules: Rule[], uses?: RuleUses) =>
  evaluate(compilePolicy({ default_effect: 'deny', rules }), {
    tool: 'fn:mail/send',
    args: {},
    agent: {},
    environment: {},
    uses,
  })

describe('a rule with a limit', () => {
  it('decides while it was used less often than its limit', () => {
    const verdict = { effect: 'allow', rule_id: 'r1', reason: '', undecided: null, over_limit: null }
    expect(decide([rule('r1', 'allow', hourly)], used(9))).toEqual(verdict)
  })

  it('matches no more when its limit is used up, and the verdict says why', () => {
    const reason = 'the limit of the rule "rule r1" is used up: at most 10 times in 1 hour'
    expect(decide([rule('r1', 'allow', hourly)], used(10))).toEqual({
      effect: 'deny',
      rule_id: null,
      reason: `no other rule matched, and ${reason}`,
      undecided: null,
      over_limit: { rule_id: 'r1', uses: 10, reason },
    })
  })

  it('does not match if its uses are not known', () => {
    const reason =
      'it is not known how often the rule "rule r1" was used, and it allows calls at most 10 times in 1 hour'
    for (const uses of [undefined, new Map<string, number>()]) {
      expect(decide([rule('r1', 'allow', hourly)], uses)).toMatchObject({
        effect: 'deny',
        over_limit: { rule_id: 'r1', uses: null, reason },
      })
    }
  })

  it('leaves the call to the next rule when its limit is used up', () => {
    const rules = [rule('r1', 'allow', hourly), rule('r2', 'require_approval')]
    expect(decide(rules, used(10))).toMatchObject({ effect: 'require_approval', rule_id: 'r2' })
    expect(decide(rules, used(10)).over_limit?.rule_id).toBe('r1')
    expect(decide(rules, used(9))).toMatchObject({ rule_id: 'r1', over_limit: null })
  })

  it('has its own uses, and a verdict names the first rule whose limit is used up', () => {
    const rules = [rule('r1', 'allow', hourly), rule('r2', 'allow', hourly), rule('r3', 'allow', hourly)]
    const verdict = decide(rules, new Map(Object.entries({ r1: 10, r2: 11, r3: 0 })))
    expect([verdict.rule_id, verdict.over_limit?.rule_id]).toEqual(['r3', 'r1'])
  })

  it.each([
    [{}],
    [5],
    [{ count: 1 }],
    [{ count: 0, window_s: 5 }],
    [{ count: 1.5, window_s: 5 }],
    [{ count: 1, window_s: 0 }],
  ])('matches no call if its limit is malformed: %j', (limit) =>
    expect(decide([rule('r1', 'allow', limit)], noUses).effect).toBe('deny'),
  )

  it('matches without regard to the limit if its effect is not allow, which is stricter', () => {
    expect(decide([rule('r1', 'deny', hourly), rule('r2', 'allow')], used(99)).rule_id).toBe('r1')
    expect(decide([rule('r1', 'require_approval', hourly), rule('r2', 'allow')]).rule_id).toBe('r1')
  })

  it('decides like the policy without these rules while their uses are not known', () => {
    fc.assert(
      fc.property(snapshot, call, (policy, one) => {
        const rules = policy.rules.filter(({ limit }) => !limit)
        const without = evaluate(compilePolicy({ ...policy, rules }), one)
        const within = evaluate(compilePolicy(policy), { ...one, uses: undefined })
        expect(within).toMatchObject({ effect: without.effect, rule_id: without.rule_id })
      }),
      { numRuns: 2000 },
    )
  })

  it('may pass, and is reached as if it was not used', () => {
    const policy = compilePolicy({ default_effect: 'deny', rules: [rule('r1', 'allow', hourly)] })
    expect(mayPass(policy, { tool: 'fn:mail/send', agent: {}, environment: {} })).toBe(true)
    expect(reachTool(policy, 'fn:mail/send', { agent: {}, environment: {} })).toEqual({
      verdict: 'allow',
      rules: ['r1'],
      default_may_decide: false,
    })
  })

  it('leaves a decision by the name of the tool open, unless the next rule has the same effect', () => {
    const byTool = (...rules: Rule[]) => evaluateTool(compilePolicy({ default_effect: 'deny', rules }), 'fn:mail/send')
    const limited = rule('r1', 'allow', hourly)
    expect(byTool(limited)).toEqual({ effect: null, rule_id: null, undecidable: ['limit'] })
    expect(byTool(limited, rule('r2', 'allow'))).toEqual({ effect: 'allow', rule_id: null, undecidable: [] })
  })
})

describe('the limit in a document', () => {
  const faultsOf = (limit: unknown, effect: Effect = 'allow') =>
    validateDocument({ rules: [rule('r1', 'deny'), rule('r2', effect, limit)] }).errors

  it('is valid with a count and a window, and null means no limit', () => {
    for (const limit of [{ count: 1, window_s: 1 }, { count: 1_000_000, window_s: 86_400 }, null]) {
      expect(faultsOf(limit)).toEqual([])
    }
    expect(faultsOf(null, 'deny')).toEqual([])
  })

  it.each([
    [{ count: 0, window_s: 1 }, 'rules[1].limit.count'],
    [{ count: 1_000_001, window_s: 1 }, 'rules[1].limit.count'],
    [{ count: '1', window_s: 1 }, 'rules[1].limit.count'],
    [{ count: 1, window_s: 86_401 }, 'rules[1].limit.window_s'],
    [{ count: 1 }, 'rules[1].limit.window_s'],
    ['10/h', 'rules[1].limit'],
  ])('is a fault with its path: %j', (limit, path) => {
    expect(faultsOf(limit).map((fault) => fault.path)).toEqual([path])
  })

  it('is a fault on a rule that does not allow', () => {
    const message = 'is only for rules with the effect allow: set limit to null, or the effect to allow'
    expect(faultsOf(hourly, 'deny')).toEqual([{ path: 'rules[1].limit', message }])
    expect(faultsOf(hourly, 'require_approval')).toEqual([{ path: 'rules[1].limit', message }])
  })

  it('is a part of the snapshot only if the rule has one, and a difference between versions', () => {
    const of = (limit?: unknown): Snapshot =>
      takeSnapshot({ ...empty, rules: [rule('r1', 'allow', limit && { ...(limit as object), other: 1 })] })
    expect(of(hourly).rules[0]?.limit).toEqual(hourly)
    expect(of().rules[0]).not.toHaveProperty('limit')
    expect(takeSnapshot({ ...empty, rules: [rule('r1', 'allow', null)] }).rules[0]).not.toHaveProperty('limit')
    const fields = [{ field: 'limit', from: null, to: hourly }]
    expect(diffSnapshots(of(), of(hourly))?.rules.changed).toEqual([{ id: 'r1', fields }])
    expect(changeSummary(of(hourly), of(hourly)).rules_changed).toBe(0)
  })
})

const empty: Snapshot = {
  name: 'policy',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [],
}

it.each([
  [1, 1, 'at most once in 1 second'],
  [2, 90, 'at most 2 times in 90 seconds'],
  [10, 3600, 'at most 10 times in 1 hour'],
  [5, 86_400, 'at most 5 times in 24 hours'],
  [3, 120, 'at most 3 times in 2 minutes'],
])('%i in %i seconds is said as: %s', (count, window_s, text) => expect(limitText({ count, window_s })).toBe(text))
