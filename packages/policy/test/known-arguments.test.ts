import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { evaluateTool } from '../src/evaluate-tool.ts'
import { argumentsRead, keptArgument, knownArguments, recordedArguments, unknownValue } from '../src/known-arguments.ts'
import { type Call, type Condition, type Effect, noUses, type Rule, type Snapshot } from '../src/types.ts'
import { call, snapshot } from './arbitrary-policy.ts'

const paths = ['x', 'y', 'list', 'x.a', 'x.a.b', 'y.0', 'list.1.a', 'list.length', '__proto__', 'constructor.name']
const leaf = fc.constantFrom<unknown>(1, 5, 'a', 'ab', '/a/b', true, null, {}, [], ['a'], ['/a', '/b'], [{ a: 1 }, [2]])
const nested = fc.oneof(
  leaf,
  fc.record({ a: fc.oneof(leaf, fc.record({ b: leaf })) }, { requiredKeys: [] }),
  fc.array(fc.record({ a: leaf }), { maxLength: 3 }),
)
const deepCall = fc
  .tuple(call, fc.record({ x: nested, y: nested, list: nested }, { requiredKeys: [] }), fc.boolean())
  .map(([one, args, hasProto]): Call => {
    const sent = hasProto ? JSON.parse(`{"__proto__": "a", "rest": ${JSON.stringify(args)}}`) : {}
    return { ...one, args: { ...sent, ...args } }
  })

/** The policy with other paths of arguments. */
const deepPolicy = fc
  .tuple(snapshot, fc.array(fc.constantFrom(...paths), { minLength: 20, maxLength: 20 }))
  .map(([policy, names]): Snapshot => {
    let next = 0
    const pathOf = ({ path }: Condition) => (path.startsWith('args.') ? `args.${names[next++ % 20]}` : path)
    const when = (rule: Rule) => rule.match.when.map((one) => ({ ...one, path: pathOf(one) }))
    return { ...policy, rules: policy.rules.map((rule) => ({ ...rule, match: { ...rule.match, when: when(rule) } })) }
  })

/** What a record would have of the arguments, after JSON. */
function recorded(policy: Snapshot, one: Call) {
  const { at, undeclared } = knownArguments(one, argumentsRead(compilePolicy(policy), one.tool).keys())
  const kept = [...at].map(([path, found]) => keptArgument(path, found))
  return recordedArguments(JSON.parse(JSON.stringify(kept)), undeclared)
}

const withoutSession = (one: Call): Call => ({ ...one, session: undefined, uses: one.uses ?? noUses })

describe('a decision with what a record has of the arguments', () => {
  it('is exactly the decision about the call', () => {
    fc.assert(
      fc.property(deepPolicy, deepCall, (policy, sent) => {
        const one = withoutSession(sent)
        const compiled = compilePolicy(policy)
        const { effect, rule_id } = evaluate(compiled, one)
        const known = { readings: [recorded(policy, one)], caller: one, uses: one.uses }
        expect(evaluateTool(compiled, one.tool, one.inventory ?? null, known)).toEqual({
          effect,
          rule_id,
          undecidable: [],
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('is never another one if values are missing in the record', () => {
    fc.assert(
      fc.property(deepPolicy, deepCall, fc.nat(), (policy, sent, seed) => {
        const one = withoutSession(sent)
        const compiled = compilePolicy(policy)
        const { at, undeclared } = recorded(policy, one)
        const partly = [...at].flatMap(([path, found], index) => {
          const fate = (seed >> (2 * index)) & 3
          if (fate === 0) return []
          return [[path, fate === 1 && typeof found !== 'symbol' ? unknownValue : found] as const]
        })
        const readings = [{ undeclared, at: new Map(partly) }]
        const { effect } = evaluateTool(compiled, one.tool, one.inventory ?? null, {
          readings,
          caller: one,
          uses: one.uses,
        })
        fc.pre(effect !== null)
        expect(evaluate(compiled, one).effect).toBe(effect)
      }),
      { numRuns: 1000 },
    )
  })

  it('follows the edge if arguments can be read in several ways', () => {
    const strictness: Record<Effect, number> = { allow: 0, require_approval: 1, deny: 2 }
    fc.assert(
      fc.property(deepPolicy, deepCall, fc.array(nested, { minLength: 1, maxLength: 3 }), (policy, sent, others) => {
        const one = withoutSession(sent)
        const compiled = compilePolicy(policy)
        const calls = [one, ...others.map((x) => ({ ...one, args: { x } }))]
        const verdicts = calls.map((each) => evaluate(compiled, each)).filter(({ rule_id }, n) => n === 0 || rule_id)
        const expected = verdicts.reduce((a, b) => (strictness[b.effect] > strictness[a.effect] ? b : a))
        const readings = calls.map((each) => recorded(policy, each))
        const known = { readings, caller: one, uses: one.uses }
        const { effect, rule_id } = evaluateTool(compiled, one.tool, one.inventory ?? null, known)
        expect({ effect, rule_id }).toEqual({ effect: expected.effect, rule_id: expected.rule_id })
      }),
      { numRuns: 500 },
    )
  })
})

describe('the arguments that a policy reads', () => {
  const rule = (id: string, tools: string[], when: Condition[], enabled = true): Rule => {
    return { id, name: id, priority: Number(id), enabled, effect: 'deny', match: { tools, when }, reason: '' }
  }
  it('are those of enabled rules for the tool, with the widest use', () => {
    const policy = compilePolicy({
      default_effect: 'deny',
      rules: [
        rule('1', ['mcp:a/*', 'mcp:a/b'], [{ path: 'args.note', op: 'exists', value: true }]),
        rule('2', ['*'], [{ path: 'args.both', op: 'exists', value: true }]),
        rule('3', ['mcp:a/b'], [{ path: 'args.both', op: 'eq', value: 1 }]),
        rule('4', ['mcp:a/b'], [{ path: 'args.off', op: 'eq', value: 1 }], false),
        rule('5', ['mcp:x/b'], [{ path: 'args.other', op: 'eq', value: 1 }]),
        rule('6', ['mcp:a/b'], [{ path: 'agent.id', op: 'eq', value: 'a' }]),
      ],
    })
    expect(new Map(argumentsRead(policy, 'mcp:a/b'))).toEqual(
      new Map([
        ['args.note', 'existence'],
        ['args.both', 'value'],
      ]),
    )
    expect([...argumentsRead(policy, 'mcp:z/b').keys()]).toEqual(['args.both'])
  })
})
