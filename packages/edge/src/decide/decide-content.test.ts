import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import type { PolicyDocument } from '@mandate/policy/types'
import { canonicalJson } from '@mandate/proofs/canonical'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { takesAll } from '../../test/decide/approval-plane.ts'
import { agentId, all, profileOf, world } from '../../test/decide/decider-world.ts'
import { systemClock } from '../carry/freshness.ts'
import type { ToolCall } from '../guard/guard.ts'
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

it('records matches in the order of the RFC 8785 form, which the spool writes fastest', async () => {
  const { decider, spool } = await world(await profileOf(all('allow'), 'enforce', { content: rules({}) }), clock)
  const append = vi.spyOn(spool, 'append')
  await decider.decide({ tool: 'mcp:files/read', args: { text: 'x' } })
  const [record] = append.mock.calls[0] ?? []
  expect(record?.content).toHaveLength(1)
  expect(JSON.stringify(record)).toBe(canonicalJson(record))
})

it('texts of no known call that content rules match are logged a hundred times, and then ever more rarely', async () => {
  const patterns = builtinPatterns.filter(({ group }) => group === 'secrets')
  const content = { version: 1, bindings: [{ group: 'secrets', on: 'results', action: 'flag' }], patterns }
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const { decider } = await world(await profileOf(all('allow'), 'enforce', { content }), clock, { log })
  for (let times = 0; times < 300; times++) await decider.results.check(null, secretKey)
  expect(lines.length).toBe(102)
  expect(lines.at(-1)).toContain('"times":256')
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

  it('is left out in monitor mode where a rule asks for it, and the call is decided once', async () => {
    const when = [{ path: 'session.labels', op: 'has', value: 'untrusted_output' }] as const
    const rule = { id: own.id, name: 'Flow', priority: 1, enabled: true, effect: 'deny', match: { tools: ['*'], when } }
    const policy = { default_effect: 'allow', rules: [rule] } as unknown as PolicyDocument
    const { decider, sessions, pins, records } = await world(await profileOf(policy, 'monitor'), clock)
    pins.current = labelled
    sessions.add(decider.results.basisOf(await decider.decide(call))?.session as string, full)
    const decision = await decider.decide(web)
    expect([decision.verdict, decider.holds(decision)]).toEqual(['allow', true])
    expect(await records()).toHaveLength(2)
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

/** A rule with a condition on arguments, which an undeclared argument matches. */
const asking = (effect: string, default_effect: string) => {
  const match = { tools: ['*'], when: [{ path: 'args.path', op: 'under', value: '/a' }] }
  const rule = { id: agentId, name: 'r', priority: 0, enabled: true, effect, match, reason: 'asked' }
  return { default_effect, rules: [rule] } as PolicyDocument
}

describe('what a caller writes beside the values of arguments is in no record, approval or log if content rules match it', () => {
  const patterns = builtinPatterns.filter(({ group }) => group === 'secrets')
  const contentWith = (action: string, label?: string) => ({
    version: 1,
    bindings: [{ group: 'secrets', on: 'arguments', action, ...(label && { label }) }],
    patterns,
  })
  const decided = async (said: Partial<ToolCall>, action: string, policy = all('allow'), mode = 'enforce') => {
    const plane = takesAll()
    const profile = await profileOf(policy, mode, { content: contentWith(action) })
    const one = await world({ ...profile, policyHash: 'hash' } as typeof profile, clock, { plane })
    await one.giveKey()
    const decision = await one.decider.decide({ ...call, ...said })
    return { decision, record: (await one.records())?.[0], asked: plane.last }
  }
  const claims = { sessionId: `run ${secretKey}`, onBehalfOf: `Ada ${secretKey}` }
  const masked = { session_id: 'run [redacted:AWS access key id]', on_behalf_of: 'Ada [redacted:AWS access key id]' }

  it.each([
    ['deny', 'enforce', 'deny'],
    // Claims cannot be redacted, because the tool server gets them too.
    ['redact', 'enforce', 'deny'],
    ['require_approval', 'enforce', 'require_approval'],
    ['flag', 'enforce', 'allow'],
    ['deny', 'monitor', 'deny'],
  ])('its session and its person: %s in mode %s', async (action, mode, verdict) => {
    const { decision, record, asked } = await decided(claims, action, all('allow'), mode)
    expect(decision).toMatchObject({ verdict })
    expect(record).toMatchObject({ ...masked, content: [{ count: 2 }] })
    if (verdict === 'require_approval') expect(asked).toMatchObject(masked)
    expect(JSON.stringify([record, asked])).not.toContain(secretKey)
  })

  it.each(['flag', 'redact', 'require_approval', 'deny'])(
    'a claim that cannot be inspected is left out: %s',
    async (action) => {
      let text = JSON.stringify(['\n'])
      for (let depth = 0; depth < 4; depth++) text = JSON.stringify([text])
      const sessionId = `["${secretKey}",${text}]`
      const { record, asked } = await decided({ sessionId }, action)
      expect(record).not.toHaveProperty('session_id')
      expect(JSON.stringify([record, asked])).not.toContain(secretKey)
    },
  )

  it('a claim that becomes longer than the control plane accepts is cut', async () => {
    const sessionId = `${'a'.repeat(100)} ${secretKey}`
    const { record } = await decided({ sessionId }, 'flag')
    expect(record?.session_id).toHaveLength(128)
    expect(record).not.toHaveProperty('on_behalf_of')
  })

  it('a session id of the edge is not inspected', async () => {
    const { record } = await decided({ ...claims, isSessionOfEdge: true }, 'flag')
    expect(record).toMatchObject({ ...masked, session_id: claims.sessionId, content: [{ count: 1 }] })
  })

  it('claims are recorded without the match while the edge is closed, and not at all if the rules are unknown', async () => {
    const closed = await world(await profileOf(all('allow'), 'enforce', { content: contentWith('flag') }), clock)
    closed.standing.refuse('the key is refused')
    await closed.decider.decide({ ...call, ...claims })
    expect(await closed.records()).toMatchObject([masked])
    const faulty = await world(await profileOf(all('allow'), 'enforce', { content: 'rules' }), clock)
    await faulty.decider.decide({ ...call, ...claims })
    const [record] = (await faulty.records()) ?? []
    expect(record).toMatchObject({ effect: 'deny' })
    for (const claim of Object.keys(masked)) expect(record).not.toHaveProperty(claim)
  })

  it('the name of an argument that the tool does not declare', async () => {
    const undeclared = { args: { [`${secretKey} `]: 1 }, declaredArgs: async () => new Set(['path']) }
    const held = await decided(undeclared, 'flag', asking('require_approval', 'allow'))
    expect(held.asked).toMatchObject({
      reason: 'asked (the tool is not known to declare an argument of the call, so the rule applies)',
    })
    const denied = await decided(undeclared, 'flag', asking('deny', 'allow'))
    expect(JSON.stringify([denied, held])).not.toContain(secretKey)
    const unmatched = await decided({ ...undeclared, args: { other: 1 } }, 'flag', asking('deny', 'allow'))
    expect(unmatched.decision.reason).toContain('the argument "other"')
  })
})

describe('a label of content rules is given to the session whatever becomes of the call, and labels of the tool only if the call passes', () => {
  const secrets = builtinPatterns.filter(({ group }) => group === 'secrets')
  const bound = (action: string) => ({ group: 'secrets', on: 'arguments', action })
  const label = { ...bound('label'), label: 'saw_secret' }
  const tools = new Map([
    [call.tool, { isBlocked: false, pins: new Set<string>(), labels: new Set(['untrusted_output']) }],
  ])
  const labelled = { environmentId: 'e', version: 1, issuedAtMs: 0, pinning: 'off', tools } as const
  const withSecret = { ...call, args: { text: secretKey } }

  it.each([
    ['denied by a rule', all('deny'), [label], 'deny', ['saw_secret']],
    ['denied by content rules', all('allow'), [label, bound('deny')], 'deny', ['saw_secret']],
    ['held by a rule', all('require_approval'), [label], 'require_approval', ['saw_secret']],
    ['held by content rules', all('allow'), [label, bound('require_approval')], 'require_approval', ['saw_secret']],
    ['allowed', all('allow'), [label], 'allow', ['saw_secret', 'untrusted_output']],
  ])('%s', async (_, policy, bindings, verdict, labels) => {
    const profile = await profileOf(policy, 'enforce', { content: { version: 1, bindings, patterns: secrets } })
    const { decider, giveKey, pins, sessions } = await world({ ...profile, policyHash: 'hash' }, clock, {
      plane: takesAll(),
    })
    await giveKey()
    pins.current = labelled
    const decision = await decider.decide(withSecret)
    expect(decision).toMatchObject({ verdict })
    expect([...sessions.labels(decider.results.basisOf(decision)?.session as string)].sort()).toEqual(labels)
  })

  it('but not while the edge is closed', async () => {
    const content = { version: 1, bindings: [label], patterns: secrets }
    const { decider, sessions, standing } = await world(await profileOf(all('allow'), 'enforce', { content }), clock)
    standing.refuse('the key is refused')
    await decider.decide(withSecret)
    expect([...sessions.labels(agentId)]).toEqual([])
  })
})

describe('a line that a tool server writes for the log', () => {
  const patterns = builtinPatterns.filter(({ group }) => group === 'secrets')
  const masked = async (content: object | string | undefined, line: string) => {
    const { decider } = await world(await profileOf(all('allow'), 'monitor', { content }), clock)
    return decider.results.maskLine(line)
  }

  it.each(['arguments', 'results'])('has no match of the rules for %s', async (on) => {
    const bindings = [{ group: 'secrets', on, action: on === 'arguments' ? 'require_approval' : 'flag' }]
    const line = await masked({ version: 1, bindings, patterns }, `got ${secretKey}\t.`)
    expect(line).toBe('got [redacted:AWS access key id]\t.')
  })

  it('has no part of a match if it was cut', async () => {
    const content = {
      version: 1,
      bindings: ['secrets', 'financial'].map((group) => ({ group, on: 'results', action: 'redact' })),
      patterns: builtinPatterns,
    }
    const { decider } = await world(await profileOf(all('allow'), 'enforce', { content }), clock)
    const cut = (line: string) => decider.results.maskLine(line, true)
    expect(cut('paid with 4111 1111 1111 111')).toBe('paid with [hidden]')
    expect(cut('paid to DE89 3704 0044 0532 0130 0')).toBe('paid to [hidden]')
    expect(cut(`the key ${secretKey.slice(0, -1)}`)).toBe('the key [hidden]')
    expect(cut(`${secretKey} is the key of the`)).toBe('[redacted:AWS access key id] is the key of [hidden]')
    expect(cut('x'.repeat(4096))).toBe('[hidden]')
  })

  it('is kept without content rules, and hidden if they are unknown', async () => {
    expect(await masked(undefined, `got ${secretKey}`)).toBe(`got ${secretKey}`)
    const { decider } = await world(await profileOf(all('allow'), 'enforce'), clock)
    expect(decider.results.maskLine('a line', true)).toBe('a line')
    expect(await masked('rules', 'a line')).toContain('[hidden: content rules')
  })
})
