import { type Effect, noUses, type PolicyDocument } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import { describe, expect, it } from 'vitest'
import { takesAll } from '../../test/decide/approval-plane.ts'
import { agentId, all, profileOf, rulesFor, world } from '../../test/decide/decider-world.ts'
import type { AgentStanding } from '../carry/agent-standing.ts'
import { systemClock } from '../carry/freshness.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { Asked } from '../control-plane/control-plane.ts'
import { type Decision, passes, type ToolCall } from '../guard/guard.ts'
import type { CurrentPins } from '../inventory/environment-pins.ts'
import { checkCall } from './check-call.ts'
import type { Decider } from './decider.ts'

const call = { tool: 'mcp:files/read', args: { path: '/a' } }

describe('the record of a decision', () => {
  it('names the policy, the profile, the time to decide, and what the caller claims', async () => {
    const profile = await profileOf(all('allow'))
    const { decider, records } = await world(profile)
    const { decisionId } = await decider.decide({ ...call, sessionId: 's-1', onBehalfOf: 'Ada' })
    const [record] = (await records()) ?? []
    expect(record).toEqual({
      decision_id: decisionId,
      agent_id: agentId,
      tool: call.tool,
      effect: 'allow',
      mode: 'enforce',
      policy_id: agentId,
      policy_version: profile.policyVersion,
      policy_hash: profile.policyHash,
      profile: { hash: profile.hash, seq: profile.seq },
      args_digest: contentHash(call),
      session_id: 's-1',
      on_behalf_of: 'Ada',
      duration_us: expect.any(Number),
      at: expect.any(String),
    })
    expect(decisionId[14]).toBe('7')
    expect(record?.duration_us).toBeGreaterThan(0)
    expect(Number.isInteger(record?.duration_us)).toBe(true)
  })

  it('has keys in alphabetical order, so that its canonical form is cheap', async () => {
    const { decider, records } = await world(await profileOf(rulesFor({ 'mcp:*/*': 'allow' })))
    await decider.decide({ ...call, sessionId: 's-1', onBehalfOf: 'Ada' })
    const keys = Object.keys((await records())?.[0] ?? {})
    expect(keys).toEqual([...keys].sort())
    expect(keys).toContain('rule_id')
  })

  const denied = (denied_because: string) => profileOf(all('deny'), 'enforce', { policy_id: null, denied_because })
  const stop = (standing: AgentStanding) => standing.stop(systemClock())

  it.each<[string, () => Promise<ActiveProfile>, Partial<ToolCall>?, ((standing: AgentStanding) => void)?]>([
    ['rule', () => profileOf(rulesFor({ 'mcp:*/*': 'deny' }))],
    ['default_effect', () => profileOf(all('deny'))],
    ['misleading_tool_name', () => profileOf(rulesFor({ 'mcp:files/read': 'allow' })), { tool: 'mcp:Files/read' }],
    ['invalid_tool_name', () => profileOf(all('allow')), { tool: 'nonsense' }],
    ['invalid_arguments', () => profileOf(all('allow')), { args: { text: '\ud800' } }],
    ['content_rules_unknown', () => profileOf(all('allow'), 'enforce', { content: { version: 'new' } })],
    ['credential_missing', () => profileOf(all('allow')), { lacking: async () => 'the credential is missing' }],
    ['approval_unavailable', () => profileOf(all('require_approval'))],
    ['suspended', () => denied('suspended')],
    ['no_policy', () => denied('no_policy')],
    ['may_not_act', () => denied('a reason of a later version')],
    ['frozen', () => profileOf(all('allow')), {}, stop],
    ['not_served', () => profileOf(all('allow')), {}, (standing) => standing.refuse('not served')],
    ['key_refused', () => profileOf(all('allow')), {}, (standing) => standing.refuse('refused', 'key_refused')],
  ])('says why the call is denied: %s', async (because, profile, more = {}, change = () => {}) => {
    const { standing, decider, records } = await world(await profile())
    change(standing)
    expect(await decider.decide({ ...call, ...more })).toMatchObject({ verdict: 'deny', deniedBecause: because })
    expect(await records()).toMatchObject([{ effect: 'deny', denied_because: because }])
  })

  it('says that the call is denied because the profile was not confirmed', async () => {
    let ms = 0
    const { decider, records } = await world(await profileOf(all('allow')), () => ({ wallMs: ms, monotonicMs: ms }))
    ms = 60_000
    await decider.decide(call)
    expect(await records()).toMatchObject([{ denied_because: 'not_confirmed' }])
  })

  it.each<[string, (standing: AgentStanding) => void]>([
    ['a freeze', stop],
    ['a refusal', (standing) => standing.refuse('not served')],
  ])('names no policy after %s, because no policy decided', async (_, change) => {
    const { standing, decider, records } = await world(await profileOf(all('deny')))
    change(standing)
    expect(await decider.decide(call)).toMatchObject({ policyVersion: null })
    const [record] = (await records()) ?? []
    expect(record?.policy_version).toBeNull()
    expect(record).not.toHaveProperty('policy_id')
    expect(record).not.toHaveProperty('policy_hash')
  })

  it.each(['allow', 'require_approval'] as const)('gives no reason for a denial with the effect %s', async (effect) => {
    const { decider, records } = await world(await profileOf(all(effect), 'monitor'))
    await decider.decide(call)
    expect((await records())?.[0]).not.toHaveProperty('denied_because')
  })
})

describe('a call that passed before the rules changed', () => {
  it('is decided again if they changed while it was recorded, and both decisions are recorded', async () => {
    const { standing, decider, recorded } = await world(await profileOf(all('allow')))
    const stricter = await profileOf(all('deny'))
    const deciding = decider.decide(call)
    standing.hold(stricter, systemClock())
    expect(await deciding).toMatchObject({ verdict: 'deny', policyVersion: stricter.policyVersion })
    expect(await recorded()).toEqual([
      [call.tool, 'allow'],
      [call.tool, 'deny'],
    ])
  })

  it.each<[string, (standing: AgentStanding) => unknown]>([
    ['another policy', async (standing) => standing.hold(await profileOf(all('deny')), systemClock())],
    ['monitor mode over', async (standing) => standing.hold(await profileOf(all('deny'), 'enforce'), systemClock())],
    ['a refusal', (standing) => standing.refuse('not served')],
  ])('does not hold any more after a change: %s', async (_, change) => {
    const { standing, decider } = await world(await profileOf(all('deny'), 'monitor'))
    const decision = await decider.decide(call)
    expect([decision.enforced, decider.holds(decision)]).toEqual([false, true])
    await change(standing)
    expect(decider.holds(decision)).toBe(false)
  })

  it('does not hold any more once the policy has expired, and holds while the policy is confirmed', async () => {
    let ms = 0
    const clock = () => ({ wallMs: ms, monotonicMs: ms })
    const profile = await profileOf(all('allow'))
    const { standing, decider } = await world(profile, clock)
    const decision = await decider.decide(call)
    ms = 4000
    standing.hold({ ...profile }, clock())
    ms = 8000
    expect(decider.holds(decision)).toBe(true)
    ms = 60_000
    expect(decider.holds(decision)).toBe(false)
  })

  it('does not hold by the decision of another decider', async () => {
    const { decider } = await world(await profileOf(all('allow')))
    expect(decider.holds({ ...(await decider.decide(call)) })).toBe(false)
  })
})

it('the calls of one message need one approval each, although none is sent before all may pass', async () => {
  const plane = takesAll()
  const { decider } = await world(await profileOf(all('require_approval')), systemClock, { plane })
  const calls = ['/a', '/b', '/c'].map((path) => ({ ...call, args: { path } }))
  let passing: Decision[] = []
  for (let attempt = 0; attempt < 4; attempt++) {
    passing = []
    for (const one of calls) {
      const decision = await decider.decide(one)
      if (!passes(decision)) break
      passing.push(decision)
    }
    if (passing.length === calls.length) break
    for (const decision of passing) decider.withdraw(decision)
    plane.approveAll()
  }
  expect([passing.length, plane.requests]).toEqual([3, 3])
  expect((await decider.decide(calls[0] as ToolCall)).verdict).toBe('require_approval')
})

describe('a call whose arguments have several readings', () => {
  const rule = { id: agentId, name: '', priority: 1, enabled: true, effect: 'deny' as const, reason: 'forbidden' }
  const when = [{ path: 'args.path', op: 'under' as const, value: '/secrets' }]
  const policy = { default_effect: 'allow' as const, rules: [{ ...rule, match: { tools: ['mcp:files/*'], when } }] }
  const ask = async (declared: string[], otherArgs: { [key: string]: unknown }[]) => {
    const { decider } = await world(await profileOf(policy))
    return (await decider.decide({ ...call, otherArgs, declaredArgs: async () => new Set(declared) })).verdict
  }

  it('is denied if a reading is denied or has an argument that the tool does not declare', async () => {
    expect(await ask(['path'], [{ path: '/b' }])).toBe('allow')
    expect(await ask(['path'], [{ path: '/b' }, { path: '/secrets/c' }])).toBe('deny')
    expect(await ask(['path'], [{ path: '/b', other: 1 }])).toBe('deny')
    expect(await ask(['other'], [{ other: '/b' }])).toBe('deny')
  })

  it('is held for approval and recorded with its arguments as sent', async () => {
    const document = { ...policy, rules: policy.rules.map((one) => ({ ...one, effect: 'require_approval' as const })) }
    const standing = { profile: await profileOf(document), closed: null }
    const args = { path: '/b' }
    const { held, digest } = checkCall({ ...call, args, otherArgs: [{ path: '/secrets/c' }] }, standing, null, {
      session: { labels: new Set(), calls: 0 },
      inventoryOf: () => undefined,
      uses: noUses,
    })
    expect(held).toMatchObject({ args, digest: contentHash({ tool: call.tool, args }) })
    expect(digest).toBe(held?.digest)
  })
})

describe('a call that may mean several tools', () => {
  const [one, other, third] = ['mcp:a/b__c', 'mcp:a__b/c', 'mcp:a__b__c/d']
  const ask = async (policy: PolicyDocument, otherTools = [other, third], mode = 'enforce') => {
    const { decider, recorded } = await world(await profileOf(policy, mode))
    const decision = await decider.decide({ tool: one, otherTools, args: {} })
    return { decision, recorded: await recorded() }
  }

  it.each<[Record<string, Effect>, string, Effect]>([
    [{}, one, 'allow'],
    [{ [other]: 'deny' }, other, 'deny'],
    [{ [one]: 'require_approval', [third]: 'deny' }, third, 'deny'],
    [{ [other]: 'deny', [third]: 'deny' }, other, 'deny'],
  ])('gets the strictest verdict and one record: %j', async (effects, tool, effect) => {
    const { decision, recorded } = await ask(rulesFor(effects))
    expect(decision.verdict).toBe(effect)
    expect(recorded).toEqual([[tool, effect]])
    if (effect === 'deny')
      expect(decision.reason).toBe(
        `deny (decided as ${tool}; its name could also mean ${[one, other, third].filter((name) => name !== tool).join(', ')})`,
      )
  })

  it('needs approval if one of them does, and is denied while the control plane is away', async () => {
    const { decision } = await ask(rulesFor({ [other]: 'require_approval' }))
    expect(decision).toMatchObject({ verdict: 'deny', rule: { id: other } })
    expect(decision.reason).toContain('cannot be requested or checked')
  })

  it('is denied if no rule can match the name of one of them', async () => {
    expect((await ask(all('allow'), ['nonsense'])).decision).toMatchObject({ verdict: 'deny', enforced: true })
  })

  it('passes in monitor mode and is recorded with the strictest verdict', async () => {
    const { decision, recorded } = await ask(rulesFor({ [other]: 'require_approval' }), [other], 'monitor')
    expect(decision).toMatchObject({ verdict: 'require_approval', enforced: false })
    expect(recorded).toEqual([[other, 'require_approval']])
  })
})

it('decides an argument named __proto__ and confuses it with no other', async () => {
  const when = [{ path: 'args.__proto__.path', op: 'eq' as const, value: '/etc' }]
  const [rule] = rulesFor({ 'mcp:files/read': 'deny' }).rules as [PolicyDocument['rules'][number]]
  const { decider } = await world(
    await profileOf({ default_effect: 'allow', rules: [{ ...rule, match: { ...rule.match, when } }] }),
  )
  const verdictOf = async (text: string) => {
    const { verdict, reason } = await decider.decide({ tool: 'mcp:files/read', args: JSON.parse(text) })
    return [verdict, reason]
  }
  expect(await verdictOf('{"__proto__":{"path":"/etc"}}')).toEqual(['deny', 'deny'])
  expect(await verdictOf('{"__proto__":{"path":"/ok"}}')).toEqual(['allow', 'no rule matched'])
  expect(await verdictOf('{"path":"/etc"}')).toEqual(['deny', expect.stringContaining('cannot be decided')])
})

describe('pins and blocks of tools', () => {
  const pinsWith = (
    tools: Record<string, { isBlocked?: boolean; pins?: string[] }>,
    pinning: 'off' | 'alert' | 'enforce' = 'enforce',
  ): CurrentPins => {
    const entries = Object.entries(tools).map(([tool, { isBlocked = false, pins = [] }]) => {
      return [tool, { isBlocked, pins: new Set(pins), labels: new Set<string>() }] as const
    })
    return { environmentId: 'e', version: 1, issuedAtMs: 0, pinning, tools: new Map(entries) }
  }
  const withDefinition = (hash: string | null | undefined) => ({ ...call, definition: () => hash })
  const verdictOf = async (decider: Decider, asked: ToolCall) => {
    const { verdict, enforced, deniedBecause } = await decider.decide(asked)
    return { verdict, enforced, deniedBecause }
  }

  it.each<[string, CurrentPins, string | null | undefined, string | undefined]>([
    ['no pins', null, undefined, undefined],
    ['unknown pins', 'unknown', 'aa', 'pins_unknown'],
    ['a block', pinsWith({ [call.tool]: { isBlocked: true, pins: ['aa'] } }, 'off'), 'aa', 'tool_blocked'],
    ['a tool that nobody knows', pinsWith({}), 'aa', 'tool_not_pinned'],
    ['a tool without pins', pinsWith({ [call.tool]: {} }), 'aa', 'tool_not_pinned'],
    ['a pinned definition', pinsWith({ [call.tool]: { pins: ['aa', 'bb'] } }), 'bb', undefined],
    ['another definition', pinsWith({ [call.tool]: { pins: ['aa'] } }), 'cc', 'tool_definition_changed'],
    [
      'a definition that cannot be pinned',
      pinsWith({ [call.tool]: { pins: ['aa'] } }),
      null,
      'tool_definition_unknown',
    ],
    ['an unseen definition', pinsWith({ [call.tool]: { pins: ['aa'] } }), undefined, 'tool_definition_unknown'],
    [
      'another definition, while pins only alert',
      pinsWith({ [call.tool]: { pins: ['aa'] } }, 'alert'),
      'cc',
      undefined,
    ],
  ])('%s', async (_title, current, hash, because) => {
    const { decider, pins } = await world(await profileOf(all('allow')))
    pins.current = current
    expect(await verdictOf(decider, withDefinition(hash))).toEqual({
      verdict: because ? 'deny' : 'allow',
      enforced: true,
      deniedBecause: because,
    })
    expect(decider.mayList(call.tool, hash, null)).toBe(because === undefined)
  })

  it('in monitor mode, a block and unknown pins stop a call, and everything else is only recorded', async () => {
    const { decider, pins, recorded } = await world(await profileOf(all('allow'), 'monitor'))
    const enforced = async (current: CurrentPins) => {
      pins.current = current
      return (await verdictOf(decider, withDefinition('cc'))).enforced
    }
    expect(await enforced(pinsWith({ [call.tool]: { pins: ['aa'] } }))).toBe(false)
    expect(decider.mayList(call.tool, 'cc', null)).toBe(true)
    expect(await enforced(pinsWith({ [call.tool]: { isBlocked: true } }))).toBe(true)
    expect(decider.mayList(call.tool, 'cc', null)).toBe(false)
    expect(await enforced('unknown')).toBe(true)
    expect(await recorded()).toEqual(Array.from({ length: 3 }, () => [call.tool, 'deny']))
  })

  it('lists a tool only if a call with the arguments that it declares may pass', async () => {
    const onPath = all('allow')
    const [rule] = rulesFor({ [call.tool]: 'deny' }).rules
    const when = [{ path: 'args.path', op: 'under' as const, value: '/secrets' }]
    onPath.rules.push({ ...rule!, match: { tools: ['mcp:*/*'], when } })
    const listed = async (mode: 'enforce' | 'monitor', declared: string[] | null) =>
      (await world(await profileOf(onPath, mode))).decider.mayList(call.tool, 'aa', declared && new Set(declared))
    expect(await listed('enforce', ['path', 'head'])).toBe(true)
    expect(await listed('enforce', ['head'])).toBe(false)
    expect(await listed('enforce', null)).toBe(true)
    expect(await listed('monitor', ['head'])).toBe(true)
  })

  it('an unknown name that looks like a blocked tool is denied, and a known one is not', async () => {
    const { decider, pins } = await world(await profileOf(all('allow'), 'monitor'))
    pins.current = pinsWith({ 'mcp:files/send_mail': { isBlocked: true }, 'mcp:files/sendmail': {} }, 'off')
    const because = async (tool: string) => (await decider.decide({ tool, args: {} })).deniedBecause
    // The last one has a Cyrillic letter.
    for (const tool of [
      'mcp:files/Send_Mail',
      'mcp:Files/send_mail',
      'mcp:files/send_m%61il',
      'mcp:files/s%D0%B5nd_mail',
    ])
      expect(await because(tool), tool).toBe('tool_blocked')
    for (const tool of ['mcp:files/sendmail', 'mcp:files/send_mails', 'mcp:other/send_mail'])
      expect(await because(tool), tool).toBeUndefined()
  })

  it('a name that could mean a blocked tool is denied', async () => {
    const { decider, pins } = await world(await profileOf(all('allow')))
    pins.current = pinsWith({ 'mcp:other/read': { isBlocked: true } }, 'off')
    expect((await decider.decide({ ...call, otherTools: ['mcp:other/read'] })).deniedBecause).toBe('tool_blocked')
    expect((await decider.decide(call)).verdict).toBe('allow')
  })

  it('a decision does not hold any more after a block, or after the server declared another definition', async () => {
    const { decider, pins } = await world(await profileOf(all('allow')))
    const pinned = pinsWith({ [call.tool]: { pins: ['aa'] } })
    pins.current = pinned
    let hash = 'aa'
    const decide = () => decider.decide({ ...call, definition: () => hash })
    const [first, second] = [await decide(), await decide()]
    expect([decider.holds(first), decider.holds(second)]).toEqual([true, true])
    hash = 'bb'
    expect(decider.holds(first)).toBe(false)
    hash = 'aa'
    // A decision that did not hold once never holds again.
    expect([decider.holds(first), decider.holds(second)]).toEqual([false, true])
    // Another version of the pins, which changes nothing for this tool.
    pins.current = pinsWith({ [call.tool]: { pins: ['aa'] }, 'mcp:files/new': {} })
    expect(decider.holds(second)).toBe(true)
    pins.current = pinsWith({ [call.tool]: { isBlocked: true } })
    expect(decider.holds(second)).toBe(false)
  })

  it('a call does not pass if its tool server declares another definition while a person is asked', async () => {
    let hash = 'aa'
    const people = takesAll()
    const plane = {
      ask: async (asked: Asked) => {
        if (asked.path.endsWith('/consume')) hash = 'bb'
        return await people.ask(asked)
      },
    }
    const when = [{ path: 'tool.state', op: 'eq', value: 'changed' }] as const
    const rule = { id: agentId, name: 'Changed', priority: 1, enabled: true, effect: 'deny', reason: '' } as const
    const rules = [{ ...rule, match: { tools: ['*'], when } }]
    const document = { default_effect: 'require_approval', rules } as unknown as PolicyDocument
    const { decider, pins } = await world(await profileOf(document), systemClock, { plane })
    pins.current = pinsWith({ [call.tool]: { pins: ['aa'] } }, 'off')
    const decide = () => decider.decide({ ...call, definition: () => hash })
    expect((await decide()).verdict).toBe('require_approval')
    people.approveAll()
    expect((await decide()).verdict).toBe('deny')
  })

  it('an approved call passes although other calls of its session are counted while the approval is asked for', async () => {
    const people = takesAll()
    let others = 0
    const plane = {
      ask: async (asked: Asked) => {
        if (asked.path.endsWith('/consume') && ++others < 10) await decider.decide({ ...call, tool: 'fn:others/a' })
        return await people.ask(asked)
      },
    }
    const when = [{ path: 'session.calls', op: 'gte', value: 1000 }] as const
    const [many, asking] = [
      { tools: ['*'], when },
      { tools: [call.tool], when: [] },
    ]
    const rule = { id: agentId, name: 'x', priority: 1, enabled: true, reason: '' } as const
    const rules = [
      { ...rule, effect: 'deny', match: many },
      { ...rule, effect: 'require_approval', match: asking },
    ]
    const document = { default_effect: 'allow', rules } as unknown as PolicyDocument
    const { decider } = await world(await profileOf(document), systemClock, { plane })
    expect((await decider.decide(call)).verdict).toBe('require_approval')
    people.approveAll()
    expect([(await decider.decide(call)).verdict, others]).toEqual(['allow', 1])
  })

  it('asks the server for its tools before it decides, if pins need a definition that was not seen', async () => {
    const { decider, pins } = await world(await profileOf(all('allow')))
    pins.current = pinsWith({ [call.tool]: { pins: ['aa'] } })
    const asked: boolean[] = []
    let hash: string | undefined
    const learn = async (isNeeded: boolean) => {
      asked.push(isNeeded)
      hash = 'aa'
    }
    expect((await decider.decide({ ...call, definition: () => hash, learn })).verdict).toBe('allow')
    const failing = () => Promise.reject(new Error('the server is away'))
    const lost = await decider.decide({ ...call, definition: () => undefined, learn: failing })
    expect(lost.deniedBecause).toBe('tool_definition_unknown')
    pins.current = null
    hash = undefined
    await decider.decide({ ...call, definition: () => hash, learn })
    expect(asked).toEqual([true, false])
  })

  it('asks no server for its tools before a call that the policy denies', async () => {
    const { decider } = await world(await profileOf(all('deny')))
    const learn = () => Promise.reject(new Error('must not be asked'))
    expect((await decider.decide({ ...call, definition: () => undefined, learn })).verdict).toBe('deny')
  })
})
