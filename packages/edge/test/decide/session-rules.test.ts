import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Condition, Effect, PolicyDocument } from '@mandate/policy/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CurrentPins } from '../../src/inventory/environment-pins.ts'
import { profileOf, world } from './decider-world.ts'

const rule = (id: string, effect: Effect, tool: string, ...when: Condition[]) => {
  return { id, name: id, priority: Number(id), enabled: true, effect, match: { tools: [tool], when }, reason: '' }
}
const policyOf = (...rules: PolicyDocument['rules']): PolicyDocument => ({ default_effect: 'allow', rules })
const tainted: Condition = { path: 'session.labels', op: 'has', value: 'untrusted_output' }
const writes: Condition = { path: 'tool.labels', op: 'has', value: 'external_write' }
const afterReading = policyOf(rule('1', 'deny', '*', tainted, writes))

const inventory = (tools: Record<string, { labels?: string[]; pins?: string[]; isBlocked?: boolean }>): CurrentPins => {
  const entries = Object.entries(tools).map(([tool, { labels = [], pins = [], isBlocked = false }]) => {
    return [tool, { isBlocked, pins: new Set(pins), labels: new Set(labels) }] as const
  })
  return { environmentId: 'e', version: 1, issuedAtMs: 0, pinning: 'alert', tools: new Map(entries) }
}
const known = inventory({
  'mcp:web/fetch': { labels: ['untrusted_output'] },
  'fn:mail/send': { labels: ['external_write'] },
})

async function ready(policy: PolicyDocument, more: Parameters<typeof world>[2] = {}, pins = known) {
  const made = await world(await profileOf(policy), undefined, more)
  made.pins.current = pins
  const verdictOf = async (tool: string, call: object = {}) =>
    (await made.decider.decide({ tool, args: {}, ...call })).verdict
  return { ...made, verdictOf }
}

async function sharedFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mandate-sessions-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('a name that looks like the name of a tool with labels', () => {
  const tools = inventory({
    'mcp:web/fetch': { labels: ['untrusted_output'] },
    'mcp:mail/send_mail': { labels: ['external_write'], pins: ['h1'] },
    'mcp:mail/Send_Mail': {},
    'mcp:mail/send-mail2': { pins: ['h2'] },
    'mcp:mail/send-mail2 ': { labels: ['external_write'] },
  })

  it.each(['Send_Mail', 'SEND_MAIL', 'send_mail ', '\u0455end_mail'])(
    'cannot evade a rule on labels: %j',
    async (name) => {
      const allowed = rule('2', 'allow', '*', writes)
      for (const [policy, expected] of [
        [afterReading, 'deny'],
        [{ ...policyOf(allowed), default_effect: 'deny' as const }, 'deny'],
      ] as const) {
        const { verdictOf } = await ready(policy, {}, tools)
        await verdictOf('mcp:web/fetch')
        expect(await verdictOf(`mcp:mail/${name}`)).toBe(expected)
      }
    },
  )

  it('gives the session the labels of that tool', async () => {
    const { verdictOf } = await ready(policyOf(rule('1', 'deny', 'mcp:mail/*', tainted)), {}, tools)
    expect(await verdictOf('mcp:mail/send_mail')).toBe('allow')
    expect(await verdictOf('mcp:web/Fetch')).toBe('allow')
    expect(await verdictOf('mcp:mail/send_mail')).toBe('deny')
  })

  it('has its own labels if one of its definitions is pinned', async () => {
    const { verdictOf } = await ready(afterReading, {}, tools)
    await verdictOf('mcp:web/fetch')
    expect(await verdictOf('mcp:mail/send-mail2')).toBe('allow')
    expect(await verdictOf('mcp:mail/other')).toBe('allow')
  })
})

it('a report of a tool does not end the block of a tool with a name like it, but a pin does', async () => {
  const blocked = { 'mcp:s/delete': { isBlocked: true } }
  const open = policyOf()
  expect(await (await ready(open, {}, inventory(blocked))).verdictOf('mcp:s/Delete')).toBe('deny')
  const reported = inventory({ ...blocked, 'mcp:s/Delete': {} })
  expect(await (await ready(open, {}, reported)).verdictOf('mcp:s/Delete')).toBe('deny')
  const pinned = inventory({ ...blocked, 'mcp:s/Delete': { pins: ['h'] } })
  expect(await (await ready(open, {}, pinned)).verdictOf('mcp:s/Delete')).toBe('allow')
})

describe('the labels of a session', () => {
  it('come from an allowed call, if the edge does not see its result', async () => {
    const { verdictOf, records } = await ready(afterReading)
    expect(await verdictOf('fn:mail/send')).toBe('allow')
    expect(await verdictOf('mcp:web/fetch')).toBe('allow')
    expect(await verdictOf('fn:mail/send')).toBe('deny')
    expect((await records())?.map(({ labels }) => labels)).toEqual([
      undefined,
      ['external_write'],
      ['external_write', 'untrusted_output'],
    ])
  })

  it('come from the result, if the edge sees it', async () => {
    const { decider, verdictOf } = await ready(afterReading)
    const decision = await decider.decide({ tool: 'mcp:web/fetch', args: {}, tellsResult: true })
    expect(await verdictOf('fn:mail/send')).toBe('allow')
    expect(decider.results.receive(decision)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('deny')
  })

  it('come from every call that was sent to a server, if its text may belong to any of them', async () => {
    const { decider, verdictOf } = await ready(afterReading)
    const decision = await decider.decide({ tool: 'mcp:web/fetch', args: {}, tellsResult: true })
    expect(decider.results.receiveText('web', false)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('allow')
    decider.results.noteSent('web', decision)
    expect(decider.results.receiveText('files', false)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('allow')
    await decider.decide({ tool: 'mcp:web/other', args: {}, tellsResult: true })
    expect(decider.results.receiveText('web', false)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('deny')
  })

  it('come from all tools of a server, if its text may belong to a call before the edge started', async () => {
    const { decider, verdictOf } = await ready(afterReading)
    expect(decider.results.receiveText('we', true)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('allow')
    expect(decider.results.receiveText('web', true)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('deny')
  })

  it.each<[string, object[], string]>([
    ['was not reported yet', [{ annotations: {} }], 'deny'],
    ['says that it reads only its own data', [{ annotations: { readOnlyHint: true, openWorldHint: false } }], 'allow'],
    [
      'said at first that it reads other data',
      [{}, { annotations: { readOnlyHint: true, openWorldHint: false } }],
      'deny',
    ],
    ['has no definition that can be reported', [], 'deny'],
  ])('come from the definition that the edge saw of a tool that %s', async (_what, declared, expected) => {
    const { decider, verdictOf } = await ready(afterReading)
    for (const one of declared) decider.results.noteTools('web', [{ declared: { name: 'a b', ...one }, hash: 'h' }])
    const call = { tool: 'mcp:web/a%20b', args: {}, tellsResult: true, definition: () => 'h' }
    const decision = await decider.decide(call)
    expect(await verdictOf('fn:mail/send')).toBe('allow')
    expect(decider.results.receive(decision)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe(expected)
  })

  it('come from the inventory alone, once it knows the tool', async () => {
    const { decider, pins, verdictOf } = await ready(afterReading)
    pins.current = inventory({ 'mcp:web/page': {}, 'fn:mail/send': { labels: ['external_write'] } })
    const decision = await decider.decide({ tool: 'mcp:web/page', args: {}, tellsResult: true, definition: () => 'h' })
    expect(decider.results.receive(decision)).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('allow')
  })

  it.each(['resource:web/read', 'resource:web/subscribe', 'prompt:web/plan'])(
    'come from all tools of the server for %s',
    async (tool) => {
      const { decider, verdictOf } = await ready(afterReading)
      const safe = { name: 'list', annotations: { readOnlyHint: true, openWorldHint: false } }
      decider.results.noteTools('files', [{ declared: safe, hash: 'h' }])
      const other = await decider.decide({ tool: tool.replace('web', 'files'), args: {}, tellsResult: true })
      expect(decider.results.receive(other)).toBeNull()
      expect(await verdictOf('fn:mail/send')).toBe('allow')
      const decision = await decider.decide({ tool, args: {}, tellsResult: true })
      expect(decider.results.receive(decision)).toBeNull()
      expect(await verdictOf('fn:mail/send')).toBe('deny')
    },
  )

  it('are those of untrusted output for a resource of a server without known tools, and unknown without the inventory', async () => {
    const { decider, pins, verdictOf } = await ready(afterReading)
    const read = () => decider.decide({ tool: 'resource:other/read', args: {}, tellsResult: true })
    pins.current = 'unknown'
    expect(decider.results.receive(await read())).toContain('does not know the labels')
    pins.current = known
    expect(decider.results.receive(await read())).toBeNull()
    expect(await verdictOf('fn:mail/send')).toBe('deny')
  })

  it('cannot be known without the inventory, so such a text does not pass', async () => {
    const { decider } = await ready(afterReading, {}, 'unknown')
    expect(decider.results.receiveText('web', false)).toBeNull()
    expect(decider.results.receiveText('web', true)).toContain('does not know the labels')
  })

  it('go to each session that called the server, if callers separate sessions', async () => {
    const { decider, verdictOf } = await ready(afterReading, { split: 'caller' })
    for (const sessionId of ['a', 'b']) {
      const call = { tool: 'mcp:web/fetch', args: {}, tellsResult: true, sessionId }
      decider.results.noteSent('web', await decider.decide(call))
    }
    expect(decider.results.receiveText('web', false)).toBeNull()
    const verdicts = ['a', 'b', 'c'].map((sessionId) => verdictOf('fn:mail/send', { sessionId }))
    expect(await Promise.all(verdicts)).toEqual(['deny', 'deny', 'allow'])
  })

  it('come from no call that is denied', async () => {
    const { verdictOf } = await ready(policyOf(...afterReading.rules, rule('2', 'deny', 'mcp:web/*')))
    expect(await verdictOf('mcp:web/fetch')).toBe('deny')
    expect(await verdictOf('fn:mail/send')).toBe('allow')
  })

  it('come in monitor mode too, from calls that the policy denies', async () => {
    const policy = policyOf(...afterReading.rules, rule('2', 'deny', 'mcp:web/*'))
    const { decider, pins } = await world(await profileOf(policy, 'monitor'))
    pins.current = known
    await decider.decide({ tool: 'mcp:web/fetch', args: {} })
    expect(await decider.decide({ tool: 'fn:mail/send', args: {} })).toMatchObject({ verdict: 'deny', enforced: false })
  })

  it('come from every name that a call may have', async () => {
    const { verdictOf } = await ready(afterReading)
    await verdictOf('mcp:other/fetch', { otherTools: ['mcp:web/fetch'] })
    expect(await verdictOf('fn:mail/send')).toBe('deny')
  })

  it('are shared by the edges of one state folder', async () => {
    const shared = await sharedFolder()
    const [one, other] = [await ready(afterReading, { shared }), await ready(afterReading, { shared })]
    expect(await other.verdictOf('fn:mail/send')).toBe('allow')
    await one.verdictOf('mcp:web/fetch')
    expect(await other.verdictOf('fn:mail/send')).toBe('deny')
  })

  it('do not separate by session_id, unless the operator allows it', async () => {
    const one = await ready(afterReading)
    await one.verdictOf('mcp:web/fetch', { sessionId: 'a' })
    expect(await one.verdictOf('fn:mail/send', { sessionId: 'b' })).toBe('deny')
    const separate = await ready(afterReading, { split: 'caller' })
    await separate.verdictOf('mcp:web/fetch', { sessionId: 'a' })
    expect(await separate.verdictOf('fn:mail/send', { sessionId: 'b' })).toBe('allow')
    expect(await separate.verdictOf('fn:mail/send', { sessionId: 'a' })).toBe('deny')
  })

  it('do not separate by the MCP sessions of the edge', async () => {
    const { verdictOf } = await ready(afterReading, { split: 'caller' })
    await verdictOf('mcp:web/fetch', { sessionId: 'a', isSessionOfEdge: true })
    expect(await verdictOf('fn:mail/send', { sessionId: 'b', isSessionOfEdge: true })).toBe('deny')
  })
})

describe('a decision that waits to be forwarded', () => {
  const send = { tool: 'fn:mail/send', args: {} }

  it('holds no longer after another call gave the session a label that rules ask for', async () => {
    const { decider, sessions, standing } = await ready(afterReading)
    const decision = await decider.decide(send)
    expect(decider.holds(decision)).toBe(true)
    sessions.add(standing.agentId, ['other'])
    expect(decider.holds(decision)).toBe(true)
    sessions.add(standing.agentId, ['untrusted_output'])
    expect(decider.holds(decision)).toBe(false)
  })

  it('still holds after its own labels', async () => {
    const { decider } = await ready(policyOf(rule('1', 'deny', 'mcp:web/*', tainted)))
    const decision = await decider.decide({ tool: 'mcp:web/fetch', args: {} })
    expect(decision.verdict).toBe('allow')
    expect(decider.holds(decision)).toBe(true)
  })

  it('holds no longer after the labels of its tool changed', async () => {
    const { decider, pins } = await ready(afterReading)
    const decision = await decider.decide(send)
    pins.current = inventory({ 'fn:mail/send': { labels: ['destructive'] } })
    expect(decider.holds(decision)).toBe(false)
  })
})

it('session.calls counts calls that were decided while another one waited', async () => {
  const few: Condition = { path: 'session.calls', op: 'lt', value: 2 }
  const { decider } = await ready({ ...policyOf(rule('1', 'allow', '*', few)), default_effect: 'deny' })
  const waiting = Promise.withResolvers<null>()
  const call = { tool: 'mcp:web/get', args: {}, lacking: () => waiting.promise }
  const all = Promise.all(Array.from({ length: 6 }, () => decider.decide(call)))
  waiting.resolve(null)
  expect((await all).map(({ verdict }) => verdict).sort()).toEqual(['allow', 'allow', 'deny', 'deny', 'deny', 'deny'])
})

it('session.calls counts the calls that passed', async () => {
  const many: Condition = { path: 'session.calls', op: 'gte', value: 2 }
  const shared = await sharedFolder()
  const policy = policyOf(rule('1', 'deny', 'fn:*/*', many), rule('2', 'deny', 'fn:never/*'))
  const { verdictOf } = await ready(policy, { shared })
  expect(await verdictOf('fn:never/a')).toBe('deny')
  expect(await verdictOf('fn:a/b')).toBe('allow')
  expect(await verdictOf('fn:a/b')).toBe('allow')
  expect(await verdictOf('fn:a/b')).toBe('deny')
  expect(await (await ready(policy, { shared })).verdictOf('fn:a/b')).toBe('deny')
})

describe('the state and the labels of a tool', () => {
  it.each<[CurrentPins, string | null | undefined, string]>([
    [null, 'x', 'new'],
    [inventory({ 'mcp:a/b': {} }), 'x', 'new'],
    [inventory({ 'mcp:a/b': { pins: ['x'] } }), 'x', 'pinned'],
    [inventory({ 'mcp:a/b': { pins: ['x'] } }), 'y', 'changed'],
    [inventory({ 'mcp:a/b': { pins: ['x'] } }), null, 'changed'],
  ])('%#: the state is %s', async (pins, definition, state) => {
    const policy = policyOf(rule('1', 'deny', 'mcp:*/*', { path: 'tool.state', op: 'eq', value: state }))
    const { verdictOf } = await ready(policy, {}, pins)
    expect(await verdictOf('mcp:a/b', { definition: () => definition })).toBe('deny')
    const others = policyOf(rule('1', 'deny', 'mcp:*/*', { path: 'tool.state', op: 'ne', value: state }))
    expect(await (await ready(others, {}, pins)).verdictOf('mcp:a/b', { definition: () => definition })).toBe('allow')
  })

  it('are unknown for a pinned tool whose definition the edge has not seen, so that errors close', async () => {
    const isPinned: Condition = { path: 'tool.state', op: 'eq', value: 'pinned' }
    const pins = inventory({ 'mcp:a/b': { pins: ['x'] } })
    const denied = await ready(policyOf(rule('1', 'deny', 'mcp:*/*', isPinned)), {}, pins)
    expect(await denied.verdictOf('mcp:a/b')).toBe('deny')
    const allowed = await ready({ default_effect: 'deny', rules: [rule('1', 'allow', 'mcp:*/*', isPinned)] }, {}, pins)
    expect(await allowed.verdictOf('mcp:a/b')).toBe('deny')
  })

  it('ask the server for the definition if a rule asks for the state', async () => {
    let definition: string | undefined
    const asked: boolean[] = []
    const learn = async (isNeeded: boolean) => {
      asked.push(isNeeded)
      definition = 'x'
    }
    const policy: PolicyDocument = {
      default_effect: 'deny',
      rules: [rule('1', 'allow', 'mcp:*/*', { path: 'tool.state', op: 'eq', value: 'pinned' })],
    }
    const { verdictOf } = await ready(policy, {}, inventory({ 'mcp:a/b': { pins: ['x'] } }))
    expect(await verdictOf('mcp:a/b', { definition: () => definition, learn })).toBe('allow')
    expect(asked).toEqual([true])
  })
})
