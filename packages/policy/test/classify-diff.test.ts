import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ClassifiedDiff, classifyDiff, type EntryClass } from '../src/changes/classify-diff.ts'
import { diffSnapshots } from '../src/changes/diff.ts'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import type { Call, Effect, Rule, Snapshot } from '../src/types.ts'
import { call, rules, snapshot } from './arbitrary-policy.ts'

function rule(id: string, priority: number, effect: Effect, tool = 'mcp:a/*'): Rule {
  return { id, name: id, priority, enabled: true, effect, match: { tools: [tool], when: [] }, reason: '' }
}

const policy = (...all: Rule[]): Snapshot => ({
  name: 'policy',
  description: null,
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'allow',
  dlp_enabled: false,
  rules: all,
})

const classesOf = ({ fields, rules: { added, changed, removed } }: ClassifiedDiff): EntryClass[] =>
  [...fields, ...added, ...changed, ...removed].map(({ change_class }) => change_class)

describe('the class of each entry of a diff', () => {
  test('is null for version 1, and an empty diff has no entries', () => {
    expect(classifyDiff(null, policy())).toBeNull()
    expect(classesOf(classifyDiff(policy(rule('a', 1, 'deny')), policy(rule('a', 1, 'deny')))!)).toEqual([])
  })

  test('fields: a name changes nothing, a stricter default tightens, monitor mode and another environment loosen', () => {
    const next = {
      ...policy(),
      name: 'n',
      environment_id: 'e',
      override_mode: 'monitor',
      default_effect: 'deny',
    } as const
    const { fields } = classifyDiff(policy(), next)!
    expect(Object.fromEntries(fields.map(({ field, change_class }) => [field, change_class]))).toEqual({
      name: 'neutral',
      environment_id: 'loosens',
      override_mode: 'loosens',
      default_effect: 'tightens',
    })
  })

  test('rules: a deny that is added tightens, a deny that is removed loosens', () => {
    const before = policy(rule('gone', 1, 'deny', 'fn:x/y'), rule('kept', 2, 'deny', 'mcp:a/b'))
    const after = policy(rule('kept', 2, 'deny', 'mcp:a/*'), rule('new', 3, 'deny', 'http:x/y'))
    const { added, changed, removed } = classifyDiff(before, after)!.rules
    expect([added, changed, removed].map((entries) => entries.map(({ change_class }) => change_class))).toEqual([
      ['tightens'],
      ['tightens'],
      ['loosens'],
    ])
  })

  test('a rule that only replaces another one changes nothing', () => {
    const before = policy(rule('a', 1, 'require_approval'))
    const { added, removed } = classifyDiff(before, policy(rule('b', 2, 'require_approval')))!.rules
    expect([added[0]?.change_class, removed[0]?.change_class]).toEqual(['neutral', 'neutral'])
  })

  test('two rules that cover each other: removing both loosens, although removing one changes nothing', () => {
    const before = policy(rule('a', 1, 'require_approval'), rule('b', 2, 'require_approval'))
    expect(classesOf(classifyDiff(before, policy())!)).toEqual(['neutral', 'loosens'])
  })

  test('a diff that is too large to prove gets the classes that follow from each entry', () => {
    const many = (effect: Effect, letter: string) =>
      Array.from({ length: 300 }, (_, n) => rule(`${letter}${n}`, n, effect, `mcp:${letter}/b${n}`))
    const before = policy(...many('allow', 'a'), ...many('deny', 'b'))
    const after = policy(...many('allow', 'c'), ...many('deny', 'd'))
    const { added, removed } = classifyDiff(before, after)!.rules
    const last = (entries: { effect: Effect; change_class: EntryClass }[], effect: Effect) =>
      entries.findLast((entry) => entry.effect === effect)?.change_class
    expect([last(added, 'allow'), last(added, 'deny')]).toEqual(['loosens', 'tightens'])
    expect([last(removed, 'allow'), last(removed, 'deny')]).toEqual(['tightens', 'loosens'])
  })
})

const strictness: Record<Effect, number> = { allow: 0, require_approval: 1, deny: 2 }
const calls = fc.array(call, { minLength: 30, maxLength: 30 })

/** If no entry loosens, no call is decided less strictly. If each is neutral, every call is decided as before. */
function expectSound(previous: Snapshot, next: Snapshot, sampled: Call[]): void {
  const classes = classesOf(classifyDiff(previous, next)!)
  if (classes.includes('loosens')) return
  const [before, after] = [compilePolicy(previous), compilePolicy(next)]
  for (const one of sampled) {
    const change = strictness[evaluate(after, one).effect] - strictness[evaluate(before, one).effect]
    if (classes.includes('tightens')) expect(change).toBeGreaterThanOrEqual(0)
    else expect(change).toBe(0)
  }
}

/** Applies the entries one after the other, and compares each class with the decisions right before and after the entry. */
function expectEachSound(previous: Snapshot, next: Snapshot, sampled: Call[]): void {
  const { fields, rules: of } = classifyDiff(previous, next)!
  let current = previous
  const check = (changed: Snapshot, said: EntryClass) => {
    const [before, after] = [compilePolicy(current), compilePolicy(changed)]
    current = changed
    for (const one of sampled) {
      const change = strictness[evaluate(after, one).effect] - strictness[evaluate(before, one).effect]
      if (said === 'tightens') expect(change).toBeGreaterThanOrEqual(0)
      if (said === 'neutral') expect(change).toBe(0)
    }
  }
  const nextRule = (id: string) => next.rules.find((one) => one.id === id)!
  for (const { field, to, change_class } of fields) check({ ...current, [field]: to }, change_class)
  for (const { change_class, ...added } of of.added)
    check({ ...current, rules: [...current.rules, added] }, change_class)
  for (const { id, change_class } of of.changed)
    check({ ...current, rules: current.rules.map((one) => (one.id === id ? nextRule(id) : one)) }, change_class)
  for (const { id, change_class } of of.removed)
    check({ ...current, rules: current.rules.filter((one) => one.id !== id) }, change_class)
}

/** Two versions that share some rules: the second one drops, changes and adds some of them. */
const edited = fc
  .tuple(snapshot, rules, fc.nat(), fc.nat())
  .map(([from, others, drop, change]): [Snapshot, Snapshot] => {
    const kept = from.rules.filter((_, at) => from.rules.length === 0 || at !== drop % from.rules.length)
    const changedRules = kept.map((one, at) =>
      at === change % Math.max(kept.length, 1) && others[0]
        ? { ...others[0], id: one.id, priority: one.priority }
        : one,
    )
    const added = others.slice(1, 2).map((one) => ({ ...one, id: 'added', priority: one.priority + 0.5 }))
    return [from, { ...from, rules: [...changedRules, ...added] }]
  })

test('a change called tightens never lets a call pass that was stopped before, alone or with the others', () => {
  fc.assert(
    fc.property(edited, calls, ([previous, next], sampled) => {
      expectSound(previous, next, sampled)
      expectEachSound(previous, next, sampled)
    }),
    { numRuns: 500 },
  )
})

test('the same is true between any two policies', () => {
  fc.assert(
    fc.property(snapshot, snapshot, calls, (previous, next, sampled) => {
      expectSound(previous, next, sampled)
      expectEachSound(previous, next, sampled)
    }),
    { numRuns: 300 },
  )
})

test('without the classes, the diff is that of diffSnapshots', () => {
  fc.assert(
    fc.property(snapshot, snapshot, (previous, next) => {
      const without = JSON.parse(
        JSON.stringify(classifyDiff(previous, next), (key, value) => (key === 'change_class' ? undefined : value)),
      )
      expect(without).toEqual(JSON.parse(JSON.stringify(diffSnapshots(previous, next))))
    }),
    { numRuns: 100 },
  )
})
