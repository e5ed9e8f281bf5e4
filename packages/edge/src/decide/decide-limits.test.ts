import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import type { PolicyDocument, Rule } from '@mandate/policy/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { profileOf, world } from '../../test/decide/decider-world.ts'
import { systemClock } from '../carry/freshness.ts'

const call = { tool: 'mcp:mail/send', args: {} }
const rule = (id: string, priority: number, more: Partial<Rule> = {}): Rule => ({
  id,
  name: `rule ${id}`,
  priority,
  enabled: true,
  effect: 'allow',
  match: { tools: ['mcp:mail/*'], when: [] },
  reason: '',
  ...more,
})
const limited = (count: number, more: Partial<Rule> = {}) =>
  rule('r1', 1, { limit: { count, window_s: 3600 }, ...more })
const policy = (...rules: Rule[]): PolicyDocument => ({ default_effect: 'deny', rules })
const reason = 'the limit of the rule "rule r1" is used up: at most 2 times in 1 hour'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-uses-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

type World = Awaited<ReturnType<typeof world>>
const verdicts = async ({ decider }: World, times: number, more = {}) => {
  const decisions = []
  for (let time = 0; time < times; time++) decisions.push(await decider.decide({ ...call, ...more }))
  return decisions.map(({ verdict }) => verdict)
}

describe('a rule with a limit', () => {
  it('allows as many calls as its limit, and then the call is denied with the reason', async () => {
    const here = await world(await profileOf(policy(limited(2))))
    expect(await verdicts(here, 2)).toEqual(['allow', 'allow'])
    expect(await here.decider.decide(call)).toMatchObject({
      verdict: 'deny',
      rule: null,
      deniedBecause: 'limit_used_up',
      reason: `no other rule matched, and ${reason}`,
    })
    expect((await here.records())?.map(({ denied_because }) => denied_because)).toEqual([
      undefined,
      undefined,
      'limit_used_up',
    ])
  })

  it('leaves a used-up call to the next rule, and people see why they are asked', async () => {
    const ask = rule('r2', 2, { effect: 'require_approval', reason: 'a person decides' })
    const here = await world(await profileOf(policy(limited(2), ask)))
    await verdicts(here, 2)
    // Its control plane cannot be reached, so the held call is denied.
    const [held] = [await here.decider.decide(call)]
    expect(held).toMatchObject({ verdict: 'deny', deniedBecause: 'approval_unavailable', rule: { id: 'r2' } })
    const monitor = await world(await profileOf(policy(limited(1), ask), 'monitor'))
    await verdicts(monitor, 1)
    expect(await monitor.decider.decide(call)).toMatchObject({
      verdict: 'require_approval',
      enforced: false,
      reason: 'a person decides (the limit of the rule "rule r1" is used up: at most once in 1 hour)',
    })
  })

  it('counts exactly its limit among calls at the same time, at several edges of one state folder', async () => {
    const shared = await newFolder()
    const profile = await profileOf(policy(limited(10)))
    const edges = [await world(profile, systemClock, { shared }), await world(profile, systemClock, { shared })]
    const decisions = await Promise.all(
      edges.flatMap(({ decider }) => Array.from({ length: 100 }, () => decider.decide(call))),
    )
    const counts = Object.groupBy(decisions, ({ verdict }) => verdict)
    expect([counts.allow?.length, counts.deny?.length]).toEqual([10, 190])
    expect(new Set(counts.deny?.map(({ deniedBecause }) => deniedBecause))).toEqual(new Set(['limit_used_up']))
  })

  it('counts the uses of another edge of the state folder, also after it allowed a call itself', async () => {
    const shared = await newFolder()
    const profile = await profileOf(policy(limited(2)))
    const [here, other] = [await world(profile, systemClock, { shared }), await world(profile, systemClock, { shared })]
    expect([await verdicts(here, 1), await verdicts(other, 1), await verdicts(here, 1)]).toEqual([
      ['allow'],
      ['allow'],
      ['deny'],
    ])
  })

  it('keeps its uses when the policy gets a new version, and after a restart', async () => {
    const shared = await newFolder()
    const first = await world(await profileOf(policy(limited(2))), systemClock, { shared })
    expect(await verdicts(first, 1)).toEqual(['allow'])
    first.standing.hold(
      await profileOf(policy(limited(2), rule('r9', 9, { effect: 'deny', match: { tools: ['fn:a/b'], when: [] } }))),
      systemClock(),
    )
    const restarted = await world(await profileOf(policy(limited(2))), systemClock, { shared })
    expect(await verdicts(first, 1)).toEqual(['allow'])
    expect(await verdicts(restarted, 1)).toEqual(['deny'])
  })

  it('does not match while its uses are not known', async () => {
    const shared = await newFolder()
    const here = await world(await profileOf(policy(limited(2))), systemClock, { shared })
    await verdicts(here, 1)
    await rm(join(shared, 'limits'), { recursive: true })
    expect(await here.decider.decide(call)).toMatchObject({
      verdict: 'deny',
      deniedBecause: 'limit_unknown',
      reason: expect.stringContaining('it is not known how often the rule "rule r1" was used'),
    })
  })

  it('lets calls pass in monitor mode, and counts only those that it allows', async () => {
    const here = await world(await profileOf(policy(limited(2)), 'monitor'))
    expect(await verdicts(here, 4)).toEqual(['allow', 'allow', 'deny', 'deny'])
    expect((await here.decider.decide(call)).enforced).toBe(false)
  })
})

describe('a use is not counted', () => {
  it('if the call lacks a credential', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    expect(await verdicts(here, 3, { lacking: async () => 'no credential' })).toEqual(['deny', 'deny', 'deny'])
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
  })

  it('if content rules deny the call, and is counted if they let it pass', async () => {
    const content = {
      version: 1,
      bindings: [{ group: 'secrets', on: 'arguments', action: 'deny' }],
      patterns: builtinPatterns.filter(({ group }) => group === 'secrets'),
    }
    const here = await world(await profileOf(policy(limited(1)), 'enforce', { content }))
    const stopped = await here.decider.decide({ ...call, args: { token: `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}` } })
    expect(stopped).toMatchObject({ verdict: 'deny', deniedBecause: 'content_key_missing' })
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
  })

  it('if pins deny the call', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    here.pins.current = 'unknown' as never
    expect(await verdicts(here, 1)).toEqual(['deny'])
    here.pins.current = null
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
  })

  it('if the delegation of the call is not valid', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    expect(await verdicts(here, 2, { delegation: 'no token' })).toEqual(['deny', 'deny'])
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
  })

  it('if the decision cannot be recorded', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    const append = here.spool.append.bind(here.spool)
    here.spool.append = () => Promise.reject(new Error('the disk is full'))
    expect(await verdicts(here, 2)).toEqual(['deny', 'deny'])
    here.spool.append = append
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
  })

  it('if the policy changes before the call is forwarded', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    const decision = await here.decider.decide(call)
    here.standing.hold(
      await profileOf(policy(limited(1), rule('r2', 2, { effect: 'require_approval' }))),
      systemClock(),
    )
    expect(here.decider.holds(decision)).toBe(false)
    expect(here.decider.holds(decision)).toBe(false)
    expect(await verdicts(here, 1)).toEqual(['allow'])
  })

  it('if the call is not forwarded because of another call of its message', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    const decision = await here.decider.decide(call)
    here.decider.withdraw(decision)
    here.decider.withdraw(decision)
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
  })

  it('by a list of what the agent may see, which does not depend on the limit', async () => {
    const here = await world(await profileOf(policy(limited(1))))
    expect([here.decider.mayShow(call.tool, [{}]), here.decider.mayShowPrompt(call.tool, null)]).toEqual([true, true])
    expect(await verdicts(here, 2)).toEqual(['allow', 'deny'])
    expect([here.decider.mayShow(call.tool, [{}]), here.decider.mayShowPrompt(call.tool, null)]).toEqual([true, true])
  })
})

it('a call with several possible names uses the rule of each name', async () => {
  const [one, other] = ['mcp:a/b__c', 'mcp:a__b/c']
  const rules = [
    limited(5, { match: { tools: [one], when: [] } }),
    rule('r2', 2, { match: { tools: [other], when: [] }, limit: { count: 1, window_s: 60 } }),
  ]
  const { decider } = await world(await profileOf(policy(...rules)))
  expect((await decider.decide({ tool: one, otherTools: [other], args: {} })).verdict).toBe('allow')
  expect((await decider.decide({ tool: other, args: {} })).verdict).toBe('deny')
  expect((await decider.decide({ tool: one, otherTools: [other], args: {} })).verdict).toBe('deny')
  expect((await decider.decide({ tool: one, args: {} })).verdict).toBe('allow')
})

describe('the profile', () => {
  it('has rules with limits apart, and the policy has all rules by priority', async () => {
    const [first, second, third] = [
      rule('r0', 0, { effect: 'deny', match: { tools: ['fn:a/b'], when: [] } }),
      limited(1),
      rule('r2', 2),
    ]
    const whole = await profileOf(policy(first, second, third))
    const split = await profileOf(policy(first, third), 'enforce', { limited_rules: [second] })
    expect(split.policyHash).toBe(whole.policyHash)
    expect([...split.policy.limits.keys()]).toEqual(['r1'])
    const here = await world(split)
    expect((await here.decider.decide(call)).rule?.id).toBe('r1')
    expect((await here.decider.decide(call)).rule?.id).toBe('r2')
  })
})
