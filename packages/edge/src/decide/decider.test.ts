import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effect, PolicyDocument } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AgentStanding } from '../carry/agent-standing.ts'
import { type Clock, systemClock } from '../carry/freshness.ts'
import { type ActiveProfile, readProfile } from '../carry/read-profile.ts'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { Spool } from '../report/spool.ts'
import { StateSeal } from '../state/state-seal.ts'
import { checkCall } from './check-call.ts'
import { Decider } from './decider.ts'
import { HeldCalls } from './held-calls.ts'

const agentId = '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'
const lapse = { missedBeats: 5, keptWhenAway: new Set<string>(), intervalMs: () => 1000 }
const keys = { signed: async () => true, explain: async () => '' }
const away = { ask: () => Promise.reject(new ControlPlaneAway('gone')) }

let versions = 0

function profileOf(policy: PolicyDocument, mode = 'enforce'): Promise<ActiveProfile> {
  versions++
  const agent = { agent_id: agentId, agent_name: 'agent', status: 'active', environment: null }
  const profile = { ...agent, governance_mode: mode, policy_id: agentId, policy }
  const signed = { policy_version: versions, profile_hash: `hash ${versions}`, profile_seq: versions, signature: '' }
  return readProfile({ ...profile, ...signed, issued_at: new Date().toISOString() }, agentId, null, keys)
}

const all = (default_effect: Effect): PolicyDocument => ({ default_effect, rules: [] })

function rulesFor(effects: Record<string, Effect>): PolicyDocument {
  const rules = Object.entries(effects).map(([tool, effect], priority) => {
    return { id: tool, name: '', priority, enabled: true, effect, match: { tools: [tool], when: [] }, reason: effect }
  })
  return { default_effect: 'allow', rules }
}

/** Creates a decider with a profile and its own spool. Its control plane cannot be reached. */
async function world(profile: ActiveProfile, clock: Clock = systemClock) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-decider-'))
  const spool = await Spool.open(join(folder, 'spool'), {
    agentIds: [agentId],
    maxBytes: 1e9,
    fsync: 'each',
    offsetMs: 0,
  })
  onTestFinished(async () => {
    await spool.close()
    await rm(folder, { recursive: true, force: true })
  })
  const standing = new AgentStanding(agentId, { ...lapse, clock })
  standing.hold(profile, clock())
  const heldCalls = await HeldCalls.open(folder, away, true, new StateSeal('ek_test'))
  const decider = new Decider(standing, { spool, heldCalls, log: pino({ level: 'silent' }) })
  const recorded = async () => (await spool.next(100, 1e6))?.records.map(({ tool, effect }) => [tool, effect])
  const records = async () => (await spool.next(100, 1e6))?.records
  return { standing, decider, recorded, records }
}

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
    const { held, digest } = checkCall({ ...call, args, otherArgs: [{ path: '/secrets/c' }] }, standing, null)
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
