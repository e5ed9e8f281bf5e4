import { describe, expect, test } from 'vitest'
import { classifyChange } from '../src/changes/classify-change.ts'
import { findDeadRules } from '../src/changes/find-dead-rules.ts'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { textFinder } from '../src/find-text.ts'
import type { Condition, Effect, Rule, Snapshot } from '../src/types.ts'

const count = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n))
const rule = (n: number, tools: string[], when: Condition[] = [], effect: Effect = 'deny'): Rule => ({
  id: `r${n}`,
  name: '',
  priority: n,
  enabled: true,
  effect,
  match: { tools, when },
  reason: '',
})
const snapshot = (rules: Rule[]): Snapshot => ({
  name: 'p',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'allow',
  dlp_enabled: false,
  rules,
})
const call = (args: unknown) => ({ tool: 'fn:a/b', args, agent: {}, environment: {} })

/** CPU time in ms: the smallest of three runs, because other processes share the machine. */
function cpuMs(work: () => unknown): number {
  const costs = count(3, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...costs)
}

// Each bound is far above the current time, and far below the seconds of a quadratic algorithm.
describe('the size of a policy and of a call bounds the work on them', () => {
  const needle = `ab${'a'.repeat(9000)}`

  test('searches a long text for a long text in linear time', { tags: ['long'] }, () => {
    const policy = compilePolicy(snapshot([rule(1, ['*'], [{ path: 'args.a', op: 'contains', value: needle }])]))
    expect(cpuMs(() => evaluate(policy, call({ a: 'a'.repeat(500_000) })))).toBeLessThan(300)
  })

  test('finds the same texts as String.includes', () => {
    for (const letters of ['aab', 'ab', 'abc']) {
      for (let seed = 1; seed < 300; seed++) {
        const random = (n: number) =>
          count(n, (at) => letters[(Math.imul(at * seed + 7, 2654435761) % 3) >>> 0] ?? 'a').join('')
        const text = random(400)
        for (const sought of [
          text.slice(seed % 200, (seed % 200) + 90),
          random(70),
          `${text.slice(300)}b`,
          `${text}b`,
          text,
        ]) {
          expect(textFinder(sought)(text), `${sought} in ${text}`).toBe(text.includes(sought))
        }
      }
    }
  })

  test('parses the paths of a call once, not once for each condition', { tags: ['long'] }, () => {
    const when = count(50, (): Condition => ({ path: 'args.a', op: 'under', value: '/b' }))
    const policy = compilePolicy(snapshot(count(100, (n) => rule(n, ['*'], when))))
    const paths = count(1000, (n) => `/é/${'É/'.repeat(10)}${n}`)
    expect(cpuMs(() => evaluate(policy, call({ a: paths })))).toBeLessThan(1500)
  })

  test('treats a path of more than 32,768 characters as an error', () => {
    const policy = compilePolicy(snapshot([rule(1, ['*'], [{ path: 'args.a', op: 'under', value: '/b' }])]))
    expect(evaluate(policy, call({ a: '/a'.repeat(16_384) })).effect).toBe('allow')
    expect(evaluate(policy, call({ a: '/a'.repeat(16_385) }))).toMatchObject({ effect: 'deny', undecided: 'args.a' })
  })

  test('tests the conditions of a rule once, however many of its patterns match', () => {
    const tested: string[] = []
    const patterns = ['*', 'fn:*/*', 'fn:a/*', 'fn:a/b', 'fn:a*/b*']
    const policy = compilePolicy(snapshot([rule(1, patterns, [{ path: 'args.a', op: 'eq', value: 'other' }])]))
    evaluate(policy, call({ a: 'x' }), ({ id }) => tested.push(id))
    expect(tested).toEqual(['r1'])
  })

  test('stops the proof of a change that needs too many comparisons', { tags: ['long'] }, () => {
    const rules = (name: string) =>
      count(100, (n) =>
        rule(
          n,
          ['*'],
          [
            ...count(49, (c): Condition => ({ path: 'args.a', op: 'not_contains', value: `${c}` })),
            { path: `args.${name}${n}`, op: 'eq', value: 1 },
          ],
          n % 2 ? 'deny' : 'require_approval',
        ),
      )
    const [before, after] = [snapshot(rules('x')), snapshot(rules('y'))]
    expect(classifyChange(before, after)).toBe('mixed')
    expect(cpuMs(() => classifyChange(before, after))).toBeLessThan(1500)
  })

  test('searches for values that meet long conditions within a budget', { tags: ['long'] }, () => {
    const path = '/é'.repeat(2000)
    const when: Condition[] = [
      { path: 'args.a', op: 'in', value: count(60, () => path) },
      ...count(40, (): Condition => ({ path: 'args.a', op: 'not_under', value: `${path}/b` })),
    ]
    expect(cpuMs(() => findDeadRules(count(3, (n) => rule(n, ['*'], when))))).toBeLessThan(800)
  })

  test('compares the bases of file paths in linear time', { tags: ['long'] }, () => {
    const path = '/é'.repeat(2500)
    const when = count(25, () => [
      { path: 'args.a', op: 'under', value: path } as const,
      { path: 'args.a', op: 'not_under', value: `${path}/b` } as const,
    ]).flat()
    expect(cpuMs(() => findDeadRules([rule(1, ['*'], when, 'allow'), rule(2, ['*'], when)]))).toBeLessThan(800)
  })

  test('prepares many similar patterns in linear time', { tags: ['long'] }, () => {
    const spelling = (n: number) =>
      [...'abcdefghijklmnop'].map((c, bit) => ((n >> bit) & 1 ? c.toUpperCase() : c)).join('')
    const decide = (size: number) => {
      const rules = count(size / 100, (r) =>
        rule(
          r,
          count(100, (t) => `fn:a/${spelling(r * 100 + t)}`),
        ),
      )
      return cpuMs(() => evaluate(compilePolicy(snapshot(rules)), call({})))
    }
    decide(4000)
    expect(decide(32_000)).toBeLessThan(8 * decide(8000) + 50)
  })
})
