import { expect, test } from 'vitest'
import { AgentStanding } from '../carry/agent-standing.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import { healthOf } from './health.ts'

const profile = { policyId: 'p', hash: 'h', deniesAll: false, status: 'active' } as ActiveProfile
const at = (ms: number) => ({ wallMs: ms, monotonicMs: ms })

function standingFor(ms = 0) {
  const lapse = { missedBeats: 5, keptWhenAway: new Set<string>(), intervalMs: () => 1000, clock: () => at(ms) }
  return new AgentStanding('a', lapse)
}
const health = (standing: AgentStanding) => healthOf([{ agentId: 'a', closing: standing.closing() }])

test('says that an edge is open', () => {
  const standing = standingFor()
  standing.hold(profile, at(0))
  expect(health(standing)).toEqual({ status: 'ok', agents: [{ agent_id: 'a', closed: false }] })
})

test.each<[string, (standing: AgentStanding) => void, number]>([
  ['no_profile', () => {}, 0],
  ['not_confirmed', (standing) => standing.hold(profile, at(0)), 60_000],
  ['may_not_act', (standing) => standing.hold({ ...profile, policyId: null }, at(0)), 0],
  ['policy_denies_all', (standing) => standing.hold({ ...profile, deniesAll: true }, at(0)), 0],
  ['key_refused', (standing) => standing.refuse('secret detail', 'key_refused'), 0],
  ['not_served', (standing) => standing.refuse('secret detail'), 0],
])('says that an edge is closed, and why: %s', (code, act, ms) => {
  const standing = standingFor(ms)
  standing.noteFault('secret detail')
  act(standing)
  const body = health(standing)
  expect(body).toEqual({
    status: 'closed',
    agents: [{ agent_id: 'a', closed: true, code, reason: expect.any(String) }],
  })
  expect(JSON.stringify(body)).not.toContain('secret')
})

test('says that an edge is closed for some of its agents', () => {
  const closing = { code: 'no_profile', reason: '' } as const
  const agents = [
    { agentId: 'a', closing: null },
    { agentId: 'b', closing },
  ]
  expect(healthOf(agents).status).toBe('partly_closed')
})
