import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import { type KeptArgument, KeptArguments, mostKeptBytes, mostKeptPaths } from '@mandate/contract/kept-arguments'
import { compilePolicy } from '@mandate/policy/evaluate'
import type { Condition, PolicyDocument } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { profileOf, world } from '../../test/decide/decider-world.ts'
import { systemClock } from '../carry/freshness.ts'
import { ContentGuard } from '../content/content-guard.ts'
import { keepArguments } from './keep-arguments.ts'

const tool = 'mcp:files/read'
const decisionId = '01980000-0000-7000-8000-000000000001'
const secret = `ghp_${'a1B2'.repeat(9)}`
const asking = (...when: Condition[]): PolicyDocument => ({
  default_effect: 'deny',
  rules: when.map((condition, priority) => ({
    id: `r${priority}`,
    name: '',
    priority,
    enabled: true,
    effect: 'allow',
    match: { tools: [tool], when: [condition] },
    reason: '',
  })),
})
const equal = (path: string): Condition => ({ path, op: 'eq', value: 'x' })
const keepingOf = (policy: PolicyDocument) => ({
  decisionId,
  profile: { policy: compilePolicy(policy) },
  declared: null,
  inspected: null,
  showArguments: true,
})
const readingOf = (policy: PolicyDocument, args: object, call = {}) =>
  keepArguments({ tool, args: { ...args }, ...call }, keepingOf(policy))?.readings[0]

describe('what is kept of the arguments', () => {
  const names = ['path', 'note', 'password', 'list', '0', '__proto__', 'constructor', 'a']
  const path = fc
    .array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
    .map((keys) => `args.${keys.join('.')}`)
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(secret, `Bearer ${secret}`, 'x'.repeat(1001), '\0', '\ud800', '/tmp/a'),
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 4 }, text, fc.double(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('any'), { maxLength: 60 }),
    object: fc.dictionary(fc.constantFrom(...names), tie('any'), { noNullPrototype: true }),
  })).object as fc.Arbitrary<Record<string, unknown>>

  it('is only what the conditions read, bounded, and has nothing that people may not see', () => {
    fc.assert(
      fc.property(
        fc.array(path, { minLength: 1, maxLength: 50 }),
        fc.array(value, { minLength: 1, maxLength: 3 }),
        (paths, sent) => {
          const [args, ...otherArgs] = sent.map((one) => ({ ...one, password: 'hunter2', note: secret }))
          const policy = asking(...paths.map(equal))
          const kept = keepArguments({ tool, args: args!, otherArgs }, keepingOf(policy)) as KeptArguments
          const json = JSON.stringify(kept)
          expect(KeptArguments.safeParse(JSON.parse(json)).error).toBeUndefined()
          expect(() => contentHash(kept)).not.toThrow()
          expect(Buffer.byteLength(json)).toBeLessThanOrEqual(mostKeptBytes)
          expect(json).not.toContain('hunter2')
          expect(json).not.toContain('ghp_')
          for (const reading of kept.readings) {
            expect(reading.length).toBeLessThanOrEqual(mostKeptPaths)
            expect(paths).toEqual(expect.arrayContaining(reading.map((one) => one.path)))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each<[string, object, Partial<KeptArgument>]>([
    ['a value', { path: '/tmp' }, { state: 'value', value: '/tmp' }],
    ['an object, without its content', { path: { key: secret } }, { state: 'value', value: {} }],
    [
      'a list, without the content of its objects',
      { path: ['a', { b: 1 }, [1]] },
      { state: 'value', value: ['a', {}, []] },
    ],
    ['null', { path: null }, { state: 'value', value: null }],
    ['nothing, if there is no value', {}, { state: 'absent' }],
    ['no text over 1,000 characters', { path: 'x'.repeat(1001) }, { state: 'not_kept', because: 'too_long' }],
    ['no list of more than 50 items', { path: Array(51).fill(1) }, { state: 'not_kept', because: 'too_long' }],
    ['no text that looks like a secret', { path: `token ${secret}` }, { state: 'not_kept', because: 'redacted' }],
    ['no list with such a text', { path: ['a', secret] }, { state: 'not_kept', because: 'redacted' }],
    ['no text that PostgreSQL cannot store', { path: 'a\0' }, { state: 'not_kept', because: 'redacted' }],
  ])('%s', (_, args, expected) => {
    expect(readingOf(asking(equal('args.path')), args)).toEqual([{ path: 'args.path', ...expected }])
  })

  it('is nothing of a field with a secret name, or below one', () => {
    const args = { db: { password: 'hunter2' }, credentials: { user: 'olivia' } }
    const not_kept = { state: 'not_kept', because: 'redacted' }
    expect(readingOf(asking(equal('args.db.password'), equal('args.credentials.user')), args)).toEqual([
      { path: 'args.db.password', ...not_kept },
      { path: 'args.credentials.user', ...not_kept },
    ])
  })

  it('is only whether the value exists, if no condition reads more', () => {
    const policy = asking({ path: 'args.path', op: 'exists', value: true })
    expect(readingOf(policy, { path: '/tmp' })).toEqual([{ path: 'args.path', state: 'not_kept', because: 'not_read' }])
  })

  it('is nothing for a tool about whose arguments no rule asks, and no value if its name can be read in several ways', () => {
    const policy = asking(equal('args.path'))
    expect(readingOf(policy, { path: 'a' }, { tool: 'mcp:files/write' })).toBeUndefined()
    expect(readingOf(policy, { path: 'a' }, { otherTools: [tool, 'mcp:files/write'] })).toMatchObject([
      { because: 'several_tools' },
    ])
  })
})

describe('an edge', () => {
  const still = systemClock()
  const clock = () => still
  const policy = asking(equal('args.path'))
  const decide = async (more: object, options = {}, args: object = { path: '/tmp', other: 'hunter2' }) => {
    const profile = await profileOf(policy, 'enforce', more)
    const { decider, kept, records } = await world(profile, clock, options)
    await decider.decide({ tool, args: { ...args } })
    return { kept: (await kept()) ?? [], record: (await records())?.[0] }
  }

  it('keeps arguments if the profile says so, and its record has their digest', async () => {
    const { kept, record } = await decide({ keep_arguments_for_replay: true })
    expect(kept).toMatchObject([
      { readings: [[{ path: 'args.path', state: 'value', value: '/tmp' }]], undeclared: false },
    ])
    expect(record).toMatchObject({ decision_id: kept[0]?.decision_id, kept_digest: contentHash(kept[0]) })
    expect(record).not.toHaveProperty('kept_arguments')
  })

  it.each([undefined, false, 'yes', { paths: ['args.other'] }])(
    'keeps nothing if the profile has %j',
    async (setting) => {
      const { kept, record } = await decide({ keep_arguments_for_replay: setting })
      expect(kept).toEqual([])
      expect(record).not.toHaveProperty('kept_digest')
    },
  )

  it('keeps no values if its operator lets people see no arguments', async () => {
    const { kept } = await decide({ keep_arguments_for_replay: true }, { showArguments: false })
    expect(kept).toMatchObject([{ readings: [[{ path: 'args.path', state: 'not_kept', because: 'not_shown' }]] }])
  })

  it('keeps no value in which content rules match, also if only another reading is kept', async () => {
    const patterns = builtinPatterns.filter(({ group }) => group === 'personal')
    const content = { version: 1, bindings: [{ group: 'personal', on: 'arguments', action: 'flag' }], patterns }
    const profile = await profileOf(policy, 'enforce', { content })
    const guard = new ContentGuard()
    onTestFinished(() => guard.close())
    const call = { tool, args: { path: 'to olivia@example.com' }, otherArgs: [{ path: 'to olivia%40example.com' }] }
    const inspected = await guard.inspectArguments('agent', profile.content, call)
    const kept = keepArguments(call, { ...keepingOf(policy), profile, inspected })
    const hidden = [{ path: 'args.path', state: 'not_kept', because: 'redacted' }]
    expect(kept?.readings).toEqual([hidden, hidden])
  })
})
