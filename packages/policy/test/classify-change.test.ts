import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ChangeClass, classifyChange } from '../src/changes/classify-change.ts'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Call, Condition, Effect, Rule, Snapshot } from '../src/types.ts'
import { call, condition, rules, snapshot } from './arbitrary-policy.ts'

const over = (value: number): Condition => ({ path: 'args.amount', op: 'gt', value })

function rule(id: string, priority: number, effect: Effect, tool = 'mcp:a/*', when: Condition[] = []): Rule {
  return { id, name: id, priority, enabled: true, effect, match: { tools: [tool], when }, reason: '' }
}

const policy = (...all: Rule[]): Snapshot => ({
  name: 'policy',
  description: null,
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'require_approval',
  dlp_enabled: false,
  rules: all,
})
const plain = policy(rule('a', 1, 'allow'), rule('d', 2, 'deny', 'mcp:a/drop'))
const limited = (limit: [number, number] | null, id = 'a', tool = 'mcp:a/*') =>
  policy({ ...rule(id, 1, 'allow', tool), limit: limit && { count: limit[0], window_s: limit[1] } })
const limitedThen = (effect: Effect) => policy(...limited([9, 60]).rules, rule('b', 2, effect))
const opposite: Record<ChangeClass, ChangeClass> = {
  tightens: 'loosens',
  loosens: 'tightens',
  mixed: 'mixed',
  neutral: 'neutral',
}

describe('what a change does', () => {
  test.each<[string, Snapshot, Snapshot, ChangeClass]>([
    ['nothing', plain, structuredClone(plain), 'neutral'],
    ['a new name', plain, { ...plain, name: 'other', description: 'why' }, 'neutral'],
    [
      'a disabled rule added',
      plain,
      policy(...plain.rules, { ...rule('x', 3, 'allow', '*'), enabled: false }),
      'neutral',
    ],
    [
      'priorities that keep the order',
      plain,
      policy(rule('a', 5, 'allow'), rule('d', 9, 'deny', 'mcp:a/drop')),
      'neutral',
    ],
    ['a limit on an allow', limited(null), limited([10, 60]), 'tightens'],
    ['a lower count', limited([10, 60]), limited([9, 60]), 'tightens'],
    ['a longer window', limited([10, 60]), limited([10, 61]), 'tightens'],
    ['a lower count in a longer window', limited([10, 60]), limited([9, 61]), 'tightens'],
    ['a lower count in a shorter window', limited([10, 60]), limited([9, 59]), 'mixed'],
    ['the same limit on a rule with another id', limited([10, 60]), limited([10, 60], 'b'), 'mixed'],
    ['a limited allow narrowed', limited([10, 60]), limited([10, 60], 'a', 'mcp:a/x'), 'tightens'],
    ['a limited allow added', policy(), limited([10, 60]), 'loosens'],
    ['an allow without a limit behind the limited one', limited([9, 60]), limitedThen('allow'), 'loosens'],
    ['the limit of an allow before an allow', limitedThen('allow'), policy(rule('b', 2, 'allow')), 'neutral'],
    ['a deny added', plain, policy(...plain.rules, rule('x', 3, 'deny', 'mcp:*/*', [over(5)])), 'tightens'],
    ['a deny widened', plain, policy(plain.rules[0]!, rule('d', 2, 'deny', 'mcp:*/drop')), 'tightens'],
    ['an allow removed', plain, policy(plain.rules[1]!), 'tightens'],
    ['an allow switched off', plain, policy({ ...plain.rules[0]!, enabled: false }, plain.rules[1]!), 'tightens'],
    ['an allow made to need approval', plain, policy(rule('a', 1, 'require_approval'), plain.rules[1]!), 'tightens'],
    [
      'a condition added to an allow',
      plain,
      policy(rule('a', 1, 'allow', 'mcp:a/*', [over(5)]), plain.rules[1]!),
      'tightens',
    ],
    [
      'a lower bound on a deny',
      policy(rule('d', 1, 'deny', '*', [over(9)])),
      policy(rule('d', 1, 'deny', '*', [over(5)])),
      'tightens',
    ],
    [
      'a condition taken from a deny',
      policy(rule('d', 1, 'deny', '*', [over(9)])),
      policy(rule('d', 1, 'deny', '*')),
      'tightens',
    ],
    ['a stricter default', plain, { ...plain, default_effect: 'deny' }, 'tightens'],
    ['enforcement switched on', plain, { ...plain, override_mode: 'enforce' }, 'tightens'],
    ['data-loss prevention switched on', plain, { ...plain, dlp_enabled: true }, 'tightens'],
    [
      'one deny and one allow added',
      plain,
      policy(...plain.rules, rule('x', 3, 'deny', 'fn:a/b'), rule('y', 4, 'allow', 'fn:c/d')),
      'mixed',
    ],
    [
      'a stricter default, enforcement off',
      plain,
      { ...plain, default_effect: 'deny', override_mode: 'monitor' },
      'mixed',
    ],
    ['another environment', plain, { ...plain, environment_id: 'e' }, 'mixed'],
  ])('%s', (_, from, to, expected) => {
    expect(classifyChange(from, to)).toBe(expected)
    expect(classifyChange(to, from)).toBe(opposite[expected])
  })

  test('does not classify a condition added to a deny as loosening, because the condition may be in error', () => {
    const deny = (...when: Condition[]) => policy(rule('d', 1, 'deny', '*', when))
    expect(classifyChange(deny(over(5)), deny(over(5), { path: 'args.to', op: 'eq', value: 'a' }))).toBe('mixed')
  })

  test('classifies a change that is too large to prove as mixed', () => {
    const many = policy(
      ...Array.from({ length: 600 }, (_, index) => rule(`r${index}`, index, 'allow', `mcp:a/b${index}`)),
    )
    expect(classifyChange(many, many)).toBe('mixed')
  })
})

const strictness: Record<Effect, number> = { allow: 0, require_approval: 1, deny: 2 }

function expectSound(previous: Snapshot, next: Snapshot, calls: Call[]): void {
  const said = classifyChange(previous, next)
  const [before, after] = [compilePolicy(previous), compilePolicy(next)]
  for (const one of calls) {
    const change = strictness[evaluate(after, one).effect] - strictness[evaluate(before, one).effect]
    if (said === 'tightens' || said === 'neutral') expect(change).toBeGreaterThanOrEqual(0)
    if (said === 'loosens' || said === 'neutral') expect(change).toBeLessThanOrEqual(0)
  }
}

const calls = fc.array(call, { minLength: 30, maxLength: 30 })

test('no call gets a less strict effect after tightens or neutral, or a stricter effect after loosens or neutral', () => {
  const edited = snapshot.chain((from) =>
    fc.tuple(
      fc.constant(from),
      rules,
      fc.constantFrom('effect', 'match', 'priority', 'enabled', 'drop', 'add', 'when'),
      fc.nat(),
    ),
  )
  fc.assert(
    fc.property(edited, condition, calls, ([from, others, edit, at], extra, sampled) => {
      fc.pre(from.rules.length > 0 && others.length > 0)
      expectSound(from, { ...from, rules: editRules(from.rules, others, edit, at, extra) }, sampled)
    }),
    { numRuns: 500 },
  )
})

test('the same is true between any two policies', () => {
  fc.assert(fc.property(snapshot, snapshot, calls, expectSound), { numRuns: 500 })
})

test('the class is correct for rules with one condition each on the same tools', () => {
  const effect = fc.constantFrom<Effect>('allow', 'deny', 'require_approval')
  const one = fc
    .tuple(effect, condition, fc.constantFrom('x', 'y'))
    .map(([kind, when, key]) => policy(rule('r', 1, kind, '*', [{ ...when, path: `args.${key}` }])))
  fc.assert(fc.property(one, one, calls, expectSound), { numRuns: 1000 })
})

function editRules(from: Rule[], others: Rule[], edit: string, at: number, extra: Condition): Rule[] {
  const index = at % from.length
  const old = from[index]!
  const other = others[at % others.length]!
  if (edit === 'drop') return from.toSpliced(index, 1)
  if (edit === 'add') return [...from, { ...other, id: 'added', priority: other.priority + 0.5 }]
  const changed = {
    effect: { ...old, effect: other.effect },
    match: { ...old, match: other.match },
    priority: { ...old, priority: other.priority + 0.5 },
    enabled: { ...old, enabled: !old.enabled },
    when: { ...old, match: { ...old.match, when: [...old.match.when, extra] } },
  }[edit]
  return from.with(index, changed ?? old)
}
