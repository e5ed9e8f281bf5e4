import { expect, it } from 'vitest'
import {
  doneSteps,
  firstAgentOf,
  firstOfPolicy,
  isStarter,
  sentenceOf,
  starterPolicy,
  stepNames,
} from './first-steps.ts'

const agent = {
  id: '01a20890-3fb1-7a30-b3a5-0d6d3b9a2f11',
  name: 'release-notes',
  policy: { id: 'p', name: 'Starter', version: 1 },
  source: 'runtime',
  lifecycle_status: 'proposed',
  last_heartbeat_at: null,
} as const

it('the sentence says how many steps are done, and the next one', () => {
  expect(sentenceOf(doneSteps(undefined, {}))).toMatch(/^0 of 5 steps are done\. Register an agent/)
  expect(sentenceOf(doneSteps(agent, {}))).toMatch(/^1 of 5 steps is done\. Start the edge/)
  const running = { ...agent, last_heartbeat_at: '2026-11-23T13:00:00.000Z' }
  expect(sentenceOf(doneSteps(running, {}))).toMatch(/^2 of 5 steps are done\. Approve the agent/)
  const approved = { ...running, lifecycle_status: 'approved' } as const
  expect(sentenceOf(doneSteps(approved, {}))).toMatch(/^3 of 5 steps are done\. Make one call that the policy allows/)
  expect(sentenceOf(doneSteps(approved, { allow: {} }))).toMatch(
    /^4 of 5 steps are done\. Make one call that the policy denies/,
  )
  expect(doneSteps(approved, { allow: {}, deny: {} })).toEqual(new Set(stepNames))
  expect(sentenceOf(doneSteps(approved, { allow: {}, deny: {} }))).toMatch(
    /^5 of 5 steps are done\. A call was denied, and/,
  )
})

it('the agent of the checklist has the starter policy, or any policy', () => {
  const other = { ...agent, id: 'b', policy: { id: 'q', name: 'Support', version: 3 } }
  expect(firstAgentOf([other, agent])).toBe(agent)
  expect(firstAgentOf([{ ...agent, policy: null }, other])).toBe(other)
  expect(firstAgentOf([{ ...agent, source: 'github' as const }])).toBeUndefined()
})

it('the checklist stays with its agent when another agent is registered', () => {
  const newer = { ...agent, id: 'newer' }
  const running = { ...agent, last_heartbeat_at: '2026-11-23T13:00:00.000Z' }
  const other = { ...running, id: 'c', policy: { id: 'q', name: 'Support', version: 3 } }
  expect(firstAgentOf([newer, agent])).toBe(agent)
  expect(firstAgentOf([newer, running])).toBe(running)
  expect(firstAgentOf([newer, other])).toBe(other)
})

it('a policy is the starter policy only if it decides the same', () => {
  const { override_mode = 'enforce', default_effect = 'deny', rules = [] } = starterPolicy('e')
  const stored = rules.map((rule, index) => ({
    id: String(index),
    enabled: true,
    reason: '',
    ...rule,
    match: { when: [], ...rule.match },
  }))
  const policy = { override_mode, default_effect, dlp_enabled: false, rules: stored }
  expect(isStarter(policy)).toBe(true)
  expect(isStarter({ ...policy, default_effect: 'allow' })).toBe(false)
  expect(isStarter({ ...policy, override_mode: 'monitor' })).toBe(false)
  expect(isStarter({ ...policy, rules: stored.slice(1) })).toBe(false)
  expect(isStarter({ ...policy, rules: stored.map((rule) => ({ ...rule, effect: 'allow' as const })) })).toBe(false)
  expect(isStarter({ ...policy, rules: stored.map((rule) => ({ ...rule, enabled: false })) })).toBe(false)
})

it('the first call of the checklist is the oldest one that the policy decided', () => {
  const policy = { id: 'p', name: 'Starter', version: 1, content_hash: null }
  const call = (denied_because: string | null) => ({ policy, denied_because })
  const [later, first, frozen] = [call('rule'), call('rule'), call('frozen')]
  expect(firstOfPolicy([later, first, frozen])).toBe(first)
  expect(firstOfPolicy([frozen, { policy: null, denied_because: null }])).toBeUndefined()
  expect(firstOfPolicy([call(null)])).toBeDefined()
})
