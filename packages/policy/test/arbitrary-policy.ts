import { conditionOperators, effects } from '@mandate/contract/words/policy-words'
import { toolStates } from '@mandate/contract/words/tool-words'
import fc from 'fast-check'
import { type Call, type Condition, newSession, type Rule, type Snapshot } from '../src/types.ts'

// Uses few different letters, so that random rules often match random calls. Otherwise the property tests would test little.
const segment = fc.constantFrom('a', 'b', 'ab', 'a.b', 'read', 'a-1')
const globSegment = fc.constantFrom('*', 'a', 'b', 'a*', '*b', 'ab', 'a*b', 'read', 're*')
const kind = fc.constantFrom('mcp', 'fn', 'resource', 'prompt')
const scalar = fc.constantFrom<unknown>(1, 2, 5, 'a', 'ab', 'b', true, false)

export const pattern = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  { weight: 5, arbitrary: fc.tuple(kind, globSegment, globSegment).map(([k, a, b]) => `${k}:${a}/${b}`) },
)

export const toolName = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(kind, segment, segment).map(([k, a, b]) => `${k}:${a}/${b}`) },
  { weight: 1, arbitrary: fc.constantFrom('', 'mcp:', 'mcp:a', 'mcp:a/b/c', 'mcp:/', 'MCP:a/b', 'mcp:a:b/c', 'x:a/b') },
)

const path = fc.constantFrom(
  'args.x',
  'args.y',
  'args.list',
  'agent.team',
  'environment.name',
  'tool.kind',
  'tool.name',
  'tool.labels',
  'tool.state',
  'session.labels',
  'session.calls',
)

export const condition: fc.Arbitrary<Condition> = fc.constantFrom(...conditionOperators).chain((op) => {
  const value =
    op === 'exists'
      ? fc.boolean()
      : op.startsWith('has')
        ? fc.constantFrom('a', 'ab', 'b')
        : op === 'in' || op === 'not_in'
          ? fc.array(scalar, { minLength: 1, maxLength: 3 })
          : ['gt', 'gte', 'lt', 'lte'].includes(op)
            ? fc.constantFrom(1, 2, 5)
            : op.endsWith('under')
              ? fc.constantFrom('/', '/a', '/a/b', '/A', '/c')
              : op.endsWith('starts_with')
                ? fc.constantFrom('a', 'ab', 'b', 'm')
                : scalar
  const absent = fc.option(fc.boolean(), { nil: undefined, freq: 2 })
  return fc.record({ path, op: fc.constant(op), value, absent }).map(({ absent, ...rest }) => {
    const mayHaveAbsent = op !== 'exists' && rest.path.startsWith('args.')
    return mayHaveAbsent && absent !== undefined ? { ...rest, absent } : rest
  })
})

const limit = fc.record({ count: fc.constantFrom(1, 2, 5), window_s: fc.constantFrom(60, 3600) })

const draftRule = fc.record({
  limit: fc.option(limit, { nil: undefined, freq: 2 }),
  enabled: fc.integer({ min: 0, max: 6 }).map((n) => n > 0),
  effect: fc.constantFrom(...effects),
  tools: fc.array(pattern, { minLength: 1, maxLength: 2 }),
  when: fc.oneof(fc.constant<Condition[]>([]), fc.array(condition, { maxLength: 3 })),
})

/** Valid rules in random order, with unique ids and priorities. */
export const rules: fc.Arbitrary<Rule[]> = fc
  .tuple(fc.array(draftRule, { maxLength: 6 }), fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 6 }))
  .map(([drafts, priorities]) =>
    drafts.map(({ tools, when, limit, ...rest }, index) => ({
      id: `r${index}`,
      name: `rule ${index}`,
      priority: priorities[index]!,
      reason: `reason ${index}`,
      match: { tools, when },
      ...rest,
      ...(limit && rest.effect === 'allow' && { limit }),
    })),
  )

export const snapshot: fc.Arbitrary<Snapshot> = fc.record({
  name: fc.constant('policy'),
  description: fc.constant(null),
  environment_id: fc.constant(null),
  override_mode: fc.constant('enforce'),
  default_effect: fc.constantFrom(...effects),
  dlp_enabled: fc.constant(false),
  rules,
})

const filePath = fc.constantFrom('/', '/a', '/A/b', '//a/./b/c', '/a/b/../../c', '/a/../..', '/ab', 'a')
const argument = fc.oneof(
  scalar,
  filePath,
  fc.array(filePath, { maxLength: 2 }),
  fc.constantFrom<unknown>(null, { a: 1 }, [], ['a'], ['a', 1], [1, 2], Number.NaN),
)

const labels = fc.subarray(['a', 'ab', 'b']).map((names) => new Set(names))

/** How often the rules of `rules` were used. Longer windows are not modelled, so the same counts are for every window. */
const uses = fc
  .array(fc.option(fc.constantFrom(0, 1, 2, 5)), { minLength: 6, maxLength: 6 })
  .map((counts) => new Map(counts.flatMap((count, index) => (count === null ? [] : [[`r${index}`, count] as const]))))

export const call: fc.Arbitrary<Call> = fc.record({
  tool: toolName,
  declaredArgs: fc.option(fc.subarray(['x', 'y', 'list']).map((names) => new Set(names))),
  args: fc.record({ x: argument, y: argument, list: argument }, { requiredKeys: [] }),
  agent: fc.record({ team: argument }, { requiredKeys: [] }),
  environment: fc.record({ name: argument }, { requiredKeys: [] }),
  session: fc.option(fc.record({ labels, calls: fc.constantFrom(0, 1, 2, 5) }), { nil: undefined }),
  uses: fc.option(uses, { nil: undefined }),
  inventory: fc.option(fc.record({ labels, state: fc.constantFrom(...toolStates) }), { nil: undefined }),
})

/** The call with a session, as every call at an edge has one. */
export const withSession = (one: Call): Call => ({ ...one, session: one.session ?? newSession })
