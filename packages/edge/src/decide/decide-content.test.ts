import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import type { PolicyDocument } from '@mandate/policy/types'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { all, profileOf, world } from '../../test/decide/decider-world.ts'
import { systemClock } from '../carry/freshness.ts'
import { mostLabels } from '../sessions/sessions.ts'

const secretKey = ['AKIA', 'QYLPMN5HHHFPZAM2'].join('')
/** Stands still, so that the profile stays confirmed on a slow machine. */
const still = systemClock()
const clock = () => still
const call = { tool: 'mcp:files/read', args: {} }
const own = { id: '11111111-1111-4111-8111-111111111111', name: 'Own', group: 'own', kind: 'regex', builtin: false }
const flag = { group: 'own', on: 'arguments', action: 'flag' }
const rules = (parts: object) => ({ version: 1, bindings: [flag], patterns: [{ ...own, expression: 'x' }], ...parts })

describe('an edge that cannot apply the content rules of its profile denies each call, and says that it must be updated', () => {
  it.each([
    ['an expression that it cannot compile', rules({ patterns: [{ ...own, expression: '(?<=a)b' }] })],
    ['an expression that is too large for it', rules({ patterns: [{ ...own, expression: '\\pL{900}\\pL{900}' }] })],
    [
      'a check that it does not know',
      rules({ patterns: [{ ...own, builtin: true, expression: 'x', check: 'new_check' }] }),
    ],
    ['a kind of pattern that it does not know', rules({ patterns: [{ ...own, kind: 'model' }] })],
    ['an action that it does not know', rules({ bindings: [{ ...flag, action: 'quarantine' }] })],
    ['a place that it does not know', rules({ bindings: [{ ...flag, on: 'files' }] })],
    [
      'a pattern that is missing',
      rules({ bindings: [{ pattern_id: own.id.replace('1', '2'), on: 'results', action: 'flag' }] }),
    ],
    ['content rules of another form', 'rules'],
  ])('%s', async (_, content) => {
    const { decider, records } = await world(await profileOf(all('allow'), 'enforce', { content }), clock)
    const decision = await decider.decide(call)
    expect(decision).toMatchObject({ verdict: 'deny', enforced: true, deniedBecause: 'content_rules_unknown' })
    expect(decision.reason).toContain('update the edge')
    expect(await records()).toMatchObject([{ effect: 'deny' }])
    expect(await decider.results.check(null, 'a text')).toEqual({ denied: expect.stringContaining('update the edge') })
  })

  it('an edge that knows them lets the call pass', async () => {
    const { decider } = await world(await profileOf(all('allow'), 'enforce', { content: rules({}) }), clock)
    expect((await decider.decide(call)).verdict).toBe('allow')
  })
})

it('while the edge is closed, content rules let only a text pass that was filtered for a closed edge, and still apply to it', async () => {
  const patterns = builtinPatterns.filter(({ group }) => group === 'secrets')
  const content = { version: 1, bindings: [{ group: 'secrets', on: 'results', action: 'redact' }], patterns }
  const { decider, standing } = await world(await profileOf(all('allow'), 'enforce', { content }), clock)
  standing.refuse('the key is refused')
  const check = (text: string, wasClosed: boolean) => decider.results.check(null, text, undefined, wasClosed)
  expect(await check('a text', false)).toEqual({ denied: 'the key is refused' })
  expect(await check('a text', true)).toEqual({ denied: null, value: 'a text' })
  expect(await check(`a ${secretKey}`, true)).toEqual({ denied: null, value: 'a [redacted:AWS access key id]' })
})

it('what the client sends again is inspected again if the content rules have changed', async () => {
  const rulesFor = (expression: string) => ({
    version: 1,
    bindings: [{ group: 'own', on: 'arguments', action: 'deny' }],
    patterns: [{ ...own, expression }],
  })
  const { decider, standing } = await world(
    await profileOf(all('allow'), 'enforce', { content: rulesFor('otter') }),
    clock,
  )
  const send = async (value: string) => (await decider.results.checkSent(null, { 'user-agent': [value] }, true)).denied
  expect([await send('badger 1'), await send('badger 1'), await send('otter 1')]).toEqual([
    null,
    null,
    expect.stringContaining('Own'),
  ])
  standing.hold(await profileOf(all('allow'), 'enforce', { content: rulesFor('badger') }), clock())
  expect([await send('badger 1'), await send('otter 1')]).toEqual([expect.stringContaining('Own'), null])
})

describe('a label that the session has no room for', () => {
  const content = {
    version: 1,
    bindings: ['arguments', 'results'].map((on) => ({ group: 'secrets', on, action: 'label', label: 'saw_secret' })),
    patterns: builtinPatterns.filter(({ group }) => group === 'secrets'),
  }
  const full = Array.from({ length: mostLabels }, (_, index) => `l${index}`)

  const web = { tool: 'mcp:web/fetch', args: {} }
  const labels = new Set(['untrusted_output'])
  const tools = new Map([[web.tool, { isBlocked: false, pins: new Set<string>(), labels }]])
  const labelled = { environmentId: 'e', version: 1, issuedAtMs: 0, pinning: 'off', tools } as const

  it('stops the call that would give it', async () => {
    const { decider, sessions, pins, records } = await world(
      await profileOf(all('allow'), 'enforce', { content }),
      clock,
    )
    pins.current = labelled
    sessions.add(decider.results.basisOf(await decider.decide(call))?.session as string, full)
    const denied = await decider.decide(web)
    expect(denied).toMatchObject({
      verdict: 'deny',
      enforced: true,
      reason: expect.stringContaining('at most 50 labels'),
    })
    expect((await records())?.map(({ effect }) => effect)).toEqual(['allow', 'deny'])
    expect((await decider.decide(call)).verdict).toBe('allow')
  })

  it('withholds the result that would give it', async () => {
    const { decider, sessions } = await world(await profileOf(all('allow'), 'enforce', { content }), clock)
    const decision = await decider.decide(call)
    sessions.add(decider.results.basisOf(decision)?.session as string, full)
    expect(await decider.results.check(decision, secretKey)).toEqual({ denied: 'a session has at most 50 labels' })
    expect(await decider.results.check(decision, 'nothing')).toEqual({ denied: null, value: 'nothing' })
  })

  it('withholds the result of the tool that would give it', async () => {
    const { decider, sessions, pins } = await world(await profileOf(all('allow'), 'enforce', { content }), clock)
    pins.current = labelled
    const decision = await decider.decide({ ...web, tellsResult: true })
    sessions.add(decider.results.basisOf(decision)?.session as string, full)
    expect(decider.results.receive(decision)).toBe('a session has at most 50 labels')
  })

  it('is left out in monitor mode, which stops nothing', async () => {
    const { decider, sessions, pins } = await world(await profileOf(all('allow'), 'monitor', { content }), clock)
    pins.current = labelled
    sessions.add(decider.results.basisOf(await decider.decide(call))?.session as string, full)
    expect((await decider.decide(web)).verdict).toBe('allow')
  })
})

describe('a name that the server is not known to have', () => {
  const tool = `mcp:files/${secretKey}`
  const named = { tool, givenName: secretKey, args: {} }
  const patterns = builtinPatterns.filter(({ group }) => group === 'secrets')
  const contentWith = (action: string) => ({
    version: 1,
    bindings: [{ group: 'secrets', on: 'arguments', action }],
    patterns,
  })
  const decided = async (action: string, mode = 'enforce') => {
    const { decider, records, giveKey } = await world(
      await profileOf(all('allow'), mode, { content: contentWith(action) }),
      clock,
    )
    await giveKey()
    return { decision: await decider.decide(named), recorded: await records() }
  }

  it.each([
    ['deny', 'enforce', 'deny'],
    ['redact', 'enforce', 'deny'],
    // People would decide by a name that they may not see.
    ['require_approval', 'enforce', 'deny'],
    ['flag', 'enforce', 'allow'],
    ['deny', 'monitor', 'deny'],
  ])('is inspected, and a match in it is not recorded: %s in mode %s', async (action, mode, verdict) => {
    const { decision, recorded } = await decided(action, mode)
    expect(decision).toMatchObject({ verdict, enforced: mode === 'enforce' })
    expect(recorded).toMatchObject([{ tool: 'mcp:files/[redacted:AWS access key id]', content: [{ count: 1 }] }])
    expect(JSON.stringify([decision, recorded])).not.toContain(secretKey)
  })

  it('is recorded without the match while the edge is closed, without a digest that could be guessed', async () => {
    const { decider, records, standing } = await world(
      await profileOf(all('allow'), 'enforce', { content: contentWith('flag') }),
      clock,
    )
    standing.refuse('the key is refused')
    expect(await decider.decide(named)).toMatchObject({ verdict: 'deny', reason: 'the key is refused' })
    expect(await records()).toMatchObject([{ tool: 'mcp:files/[redacted:AWS access key id]', args_digest: '' }])
  })

  it('is not recorded if the edge cannot apply the content rules', async () => {
    const { decider, records } = await world(await profileOf(all('allow'), 'enforce', { content: 'rules' }), clock)
    expect(await decider.decide(named)).toMatchObject({ verdict: 'deny', deniedBecause: 'content_rules_unknown' })
    expect(await records()).toMatchObject([{ tool: 'mcp:files/(unknown)', args_digest: '' }])
  })

  it('is not logged when the tools of its server cannot be listed', async () => {
    const lines: string[] = []
    const when = [{ path: 'args.path', op: 'under', value: '/a' }]
    const match = { tools: ['mcp:files/*'], when }
    const rule = { id: 'r', name: 'r', priority: 0, enabled: true, effect: 'deny', match, reason: '' }
    const policy = { default_effect: 'allow', rules: [rule] } as PolicyDocument
    const { decider } = await world(await profileOf(policy, 'enforce', { content: contentWith('deny') }), clock, {
      log: pino({}, { write: (line: string) => void lines.push(line) }),
    })
    const gone = () => Promise.reject(new Error('the server is down'))
    const unseen = { definition: () => undefined, learn: gone, declaredArgs: gone }
    await decider.decide({ ...named, ...unseen })
    const logged = lines.filter((line) => line.includes('the server is down'))
    expect(logged.map((line) => JSON.parse(line).tool)).toEqual(['mcp:files/(unknown)', 'mcp:files/(unknown)'])
    expect(lines.join('')).not.toContain(secretKey)
  })

  it('is not inspected if the server turns out to declare it', async () => {
    const { decider, records } = await world(
      await profileOf(all('allow'), 'enforce', { content: contentWith('deny') }),
      clock,
    )
    let definition: string | undefined
    const learn = async () => {
      definition = 'hash'
    }
    const decision = await decider.decide({ ...named, definition: () => definition, learn })
    expect(decision).toMatchObject({ verdict: 'allow' })
    expect(await records()).toMatchObject([{ tool, effect: 'allow' }])
  })
})
