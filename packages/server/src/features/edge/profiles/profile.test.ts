import type { ProfileDenial } from '@mandate/contract/words/denial-words'
import { contentHash } from '@mandate/proofs/canonical'
import { describe, expect, it } from 'vitest'
import { deniesAll, denyAll, type ProfileState, profileHash, stablePart } from './profile.ts'

const working: ProfileState = {
  agent_id: '00000000-0000-7000-8000-000000000001',
  agent_name: 'scribe',
  status: 'active',
  environment_id: '00000000-0000-7000-8000-000000000003',
  environment_name: 'Production',
  environment_slug: 'production',
  is_production: true,
  lifecycle_status: 'approved',
  gate: 'enforce',
  frozen: false,
  governance_mode: 'monitor',
  policy_id: '00000000-0000-7000-8000-000000000002',
  policy_version: 3,
  policy_hash: 'a'.repeat(64),
  bindings_version: null,
  bindings_hash: null,
  keep_arguments: false,
  pins_version: null,
}

describe('which agents get a profile that denies everything', () => {
  it.each([
    ['suspended', 'suspended', { status: 'suspended' }],
    ['archived', 'archived', { status: 'archived' }],
    ['blocked', 'blocked', { lifecycle_status: 'blocked' }],
    ['blocked under gate off', 'blocked', { lifecycle_status: 'blocked', gate: 'off' }],
    ['retired', 'retired', { lifecycle_status: 'retired', gate: 'off' }],
    ['unapproved under gate enforce', 'not_approved_in_production', { lifecycle_status: 'proposed' }],
    ['unapproved elsewhere', 'not_approved', { lifecycle_status: 'proposed', is_production: false }],
    ['blocked and unapproved', 'blocked', { lifecycle_status: 'blocked', policy_hash: null }],
    [
      'without a policy',
      'no_policy',
      { policy_id: null, policy_version: null, policy_hash: null, governance_mode: null },
    ],
  ] satisfies [string, ProfileDenial, Partial<ProfileState>][])(
    'an agent that is %s, with the reason %s',
    (_, why, difference) => {
      const state = { ...working, ...difference }
      expect(deniesAll(state)).toBe(true)
      expect(stablePart(state)).toEqual({
        agent_id: state.agent_id,
        agent_name: 'scribe',
        status: state.status,
        environment: { id: working.environment_id, name: 'Production', slug: 'production' },
        governance_mode: 'enforce',
        policy_id: null,
        policy_version: null,
        policy_hash: contentHash(denyAll),
        denied_because: why,
      })
    },
  )

  it.each([
    ['approved', {}],
    ['registered', { status: 'registered' }],
    ['unapproved under gate alert', { lifecycle_status: 'proposed', gate: 'alert' }],
    ['unapproved under gate off', { lifecycle_status: 'proposed', gate: 'off' }],
  ] satisfies [string, Partial<ProfileState>][])('and not an agent that is %s', (_, difference) => {
    const state = { ...working, ...difference }
    expect(deniesAll(state)).toBe(false)
    expect(stablePart(state)).toMatchObject({ policy_version: 3, policy_hash: working.policy_hash })
  })

  it('the profile of an agent without an environment has none', () => {
    const none = { environment_id: null, environment_name: null, environment_slug: null }
    expect(stablePart({ ...working, ...none }).environment).toBeNull()
  })

  it('an unknown mode is enforce', () => {
    expect(stablePart({ ...working, governance_mode: null }).governance_mode).toBe('enforce')
  })
})

describe('profile_hash', () => {
  it('differs with each part of the profile and with nothing else', () => {
    const of = (difference: Partial<ProfileState>) => profileHash(stablePart({ ...working, ...difference }))
    const hashes = [
      of({}),
      of({ agent_id: '00000000-0000-7000-8000-000000000009' }),
      of({ agent_name: 'clerk' }),
      of({ status: 'registered' }),
      of({ environment_id: '00000000-0000-7000-8000-000000000007' }),
      of({ environment_name: 'Live' }),
      of({ environment_slug: 'live' }),
      of({ governance_mode: 'enforce' }),
      of({ policy_id: '00000000-0000-7000-8000-000000000008' }),
      of({ policy_version: 4 }),
      of({ policy_hash: 'b'.repeat(64) }),
      of({ status: 'suspended' }),
      of({ lifecycle_status: 'proposed' }),
      of({ lifecycle_status: 'proposed', is_production: false }),
      of({ lifecycle_status: 'blocked' }),
      of({ policy_hash: null }),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(of({ gate: 'off' })).toBe(of({}))
    expect(of({ is_production: false })).toBe(of({}))
    expect(stablePart(working)).not.toHaveProperty('denied_because')
  })
})
