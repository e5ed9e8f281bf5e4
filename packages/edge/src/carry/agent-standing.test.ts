import { expect, test } from 'vitest'
import { AgentStanding, mayNotActReason } from './agent-standing.ts'
import type { ActiveProfile } from './read-profile.ts'

const profile = { policyId: 'p', hash: 'held' } as ActiveProfile
const at = (ms: number) => ({ wallMs: ms, monotonicMs: ms })

test.each(['all' as const, new Set(['p'])])(
  'a profile kept while the control plane is away expires once another is named: %s',
  (kept) => {
    let ms = 0
    const lapse = { missedBeats: 5, keptWhenAway: kept, intervalMs: () => 1000, clock: () => at(ms) }
    const standing = new AgentStanding('a', lapse)
    standing.hold(profile, at(0))
    ms = 60_000
    expect(standing.now().closed).toBeNull()
    standing.fallBehind()
    expect(standing.now().closed).toContain('not confirmed')
    ms = 4000
    expect(standing.now().closed).toBeNull()
    standing.confirm(at(ms))
    ms = 60_000
    expect(standing.now().closed).toBeNull()
  },
)

test.each([
  [null, 'the agent (active) may not act now, or has no policy to act under'],
  ['a reason of a later version', 'the agent (active) may not act now, or has no policy to act under'],
  ['archived', 'the agent is archived'],
  ['not_approved_in_production', 'not approved yet: ask an owner to resolve its onboarding review'],
])('a profile that denies everything because of %j gives the reason: %s', (deniedBecause, reason) => {
  expect(mayNotActReason({ ...profile, policyId: null, status: 'active', deniedBecause })).toBe(reason)
})
