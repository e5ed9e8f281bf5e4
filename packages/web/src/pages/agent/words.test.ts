import { describe, expect, it } from 'vitest'
import { driftOf } from '../../ui/page/states.ts'
import {
  clausesOf,
  differenceClause,
  gateClause,
  heardOf,
  linkOfEvent,
  reachPoliciesOf,
  toldOf,
  wayBackOf,
} from './words.ts'

const at = '2026-11-23T14:02:00.000Z'
const policy = { id: 'p', name: 'Warehouse reads', version: 9 }
const running = (version: number) => ({ id: 'p', version, reported_at: at, content_hash: null, since: at, edge: null })
const approved = { id: 'p', version: 7, content_hash: null, approved_by: null, approved_at: at, review_id: null }
const fine = {
  status: 'active',
  frozen: false,
  lifecycle_status: 'approved',
  policy,
  new_key_unused_since: null,
} as const
const names = { p: 'Warehouse reads' }

it('says first that what runs was not approved', () => {
  const agent = { ...fine, drift: true, approved_policy: approved, running_policy: running(9) }
  expect(heardOf(clausesOf({ agent, names }))).toMatch(
    /^It runs version 9 of Warehouse reads since .*\. People approved version 7$/,
  )
})

it('leads from each version to the versions of its policy', () => {
  const agent = { ...fine, drift: true, approved_policy: { ...approved, id: 'q' }, running_policy: running(9) }
  const { wrong, instead } = clausesOf({ agent, names: { ...names, q: 'Stock' } })
  expect(wrong[0]).toMatchObject({ text: 'version 9', to: '/policies/p', search: { tab: 'versions' } })
  expect(instead?.[0]).toMatchObject({ text: 'version 7 of Stock', to: '/policies/q' })
})

it('links no version of a policy that was deleted or that the reader may not see', () => {
  const agent = { ...fine, drift: true, approved_policy: { ...approved, id: 'q' }, running_policy: running(9) }
  const { wrong, instead } = clausesOf({ agent, names: {} })
  expect([wrong[0], instead?.[0]].map((clause) => clause && 'to' in clause)).toEqual([false, false])
  expect(instead?.[0]?.text).toBe('version 7 of another policy')
  const assigned = { resource: { type: 'agent', id: 'a', name: 'Reader' }, details: { new_policy_id: 'q' } }
  const saved = { resource: { type: 'policy', id: 'q', name: 'Stock' }, details: { version: 2 } }
  expect([assigned, saved].map((event) => linkOfEvent(event, names)?.to)).toEqual([undefined, undefined])
  expect([assigned, saved].map((event) => linkOfEvent(event, { q: 'Stock' })?.to)).toEqual([
    '/policies/q',
    '/policies/q',
  ])
})

const toOther = 'The finding closes when its version 7 is in force and an edge reports it.'

it.each([
  [
    'an earlier version was approved',
    {},
    'A restore brings version 7 back, and the finding closes at the next heartbeat.',
  ],
  [
    'the approved version is current',
    { policy: { ...policy, version: 7 } },
    'Version 7 of Warehouse reads is in force: the edge takes it at its next heartbeat, and then the finding closes.',
  ],
  [
    'another policy is assigned',
    { policy: { ...policy, id: 'q' }, running_policy: { ...running(9), id: 'q' } },
    `The other way is to assign Warehouse reads again. ${toOther}`,
  ],
  ['another policy runs', { running_policy: { ...running(9), id: 'q' } }, `Warehouse reads is assigned. ${toOther}`],
  [
    'the approved version does not exist',
    { policy: { ...policy, version: 6 } },
    `Warehouse reads is assigned. ${toOther}`,
  ],
  [
    'the approved version is not known',
    { approved_policy: { ...approved, version: null } },
    'It is not known which version was approved, so no version can be restored.',
  ],
  [
    'the approved policy is not known',
    { approved_policy: { ...approved, id: 'q' } },
    'The approved policy was deleted, or you may not see it, so it cannot be brought back here.',
  ],
])('says how drift ends without a review if %s, and offers a restore only if it ends drift', (_, change, text) => {
  const way = wayBackOf({ policy, approved_policy: approved, running_policy: running(9), names, ...change })
  expect(way.text).toBe(text)
  expect(way.restores).toEqual(text.startsWith('A restore') ? { id: 'p', version: 7 } : undefined)
})

const entry = (change_class: 'tightens' | 'loosens' | 'neutral') => ({
  field: 'name',
  from: 'a',
  to: 'b',
  change_class,
})
const noRules = { added: [], changed: [], removed: [] }

it.each([
  [['tightens', 'neutral'] as const, 'The difference allows nothing more than people approved.'],
  [['tightens', 'loosens'] as const, 'The difference may allow more than people approved.'],
])('tells what a difference with the classes %j does', (classes, text) => {
  expect(differenceClause({ fields: classes.map(entry), rules: noRules })).toBe(text)
})

it('an approved version whose content is not known is not said to be missing', () => {
  const agent = { ...fine, drift: null, approved_policy: approved, running_policy: running(7) }
  expect(clausesOf({ agent, names }).wrong[0]?.text).toBe(
    'It runs version 7 of Warehouse reads. The content of the approved version is not known, so the two cannot be compared',
  )
  expect(driftOf(agent).word).toBe('Not comparable')
  expect(driftOf({ ...agent, approved_policy: null }).word).toBe('Not approved yet')
})

it('says that it runs as approved only if this is known', () => {
  const agent = { ...fine, drift: false, approved_policy: approved, running_policy: running(7) }
  expect(clausesOf({ agent, names }).fine).toBe('It runs version 7 of Warehouse reads, as approved.')
  const unknown = { ...fine, drift: null, approved_policy: null, running_policy: null }
  expect(clausesOf({ agent: unknown, names }).fine).toBe('No edge has reported what it runs.')
})

it('does not say that it runs as approved while its edge uses the old key', () => {
  const rotated = { ...fine, new_key_unused_since: at }
  const agent = { ...rotated, drift: false, approved_policy: approved, running_policy: running(7) }
  const { wrong, fine: said } = clausesOf({ agent, names })
  expect(wrong[0]?.text).toMatch(/^Its key was rotated at .*, and its edge has not reported with the new key$/)
  expect(said).toBe('Mandate refuses the old key.')
})

it('says first what stops the agent', () => {
  const agent = { ...fine, frozen: true, drift: false, approved_policy: approved, running_policy: running(7) }
  expect(clausesOf({ agent, names }).waiting[0]?.text).toBe('It is frozen: every call is denied')
})

it.each(['blocked', 'retired'] as const)('says of a %s agent that every call is denied', (lifecycle_status) => {
  const agent = { ...fine, lifecycle_status, drift: false, approved_policy: approved, running_policy: running(7) }
  expect(heardOf(clausesOf({ agent, names }))).toBe(`It is ${lifecycle_status}: every call is denied`)
})

const event = (type: 'drift' | 'version' | 'approval' | 'suspension' | 'review', details: object) => ({
  at,
  type,
  actor: { type: 'person', id: null, name: 'Petra Sundelius' },
  resource: { type: 'policy', id: null, name: 'Warehouse reads' },
  details: { ...details },
})

it.each([
  [event('drift', { event_type: 'finding.opened' }), 'Drift began'],
  [event('drift', { event_type: 'finding.closed' }), 'Drift ended'],
  [
    event('version', { event_type: 'policy.updated', version: 9 }),
    'Petra Sundelius saved version 9 of “Warehouse reads”',
  ],
  [event('suspension', { event_type: 'agent.suspended' }), 'Petra Sundelius suspended the agent'],
  [
    event('approval', {
      event_type: 'agent.updated',
      fields: ['model', 'owner_user_id'],
      old_owner_name: 'Mara',
      new_owner_name: 'Bob',
    }),
    'Petra Sundelius changed the agent: model, owner (Bob, was Mara)',
  ],
  [event('suspension', { event_type: 'agent.something' }), 'Petra Sundelius: agent.something'],
  [
    event('review', {
      event_type: 'review.resolved',
      kind: 'change',
      outcome: 'approved',
      approved: { version: 2, policy_name: 'Reads' },
    }),
    'Petra Sundelius approved a change review with version 2 of “Reads”',
  ],
  [
    event('suspension', { event_type: 'freeze.started', scope: 'organization' }),
    'Petra Sundelius froze the organization',
  ],
  [
    {
      ...event('review', { event_type: 'review.opened', kind: 'change' }),
      actor: { type: 'edge', id: null, name: 'eu-1' },
    },
    'Mandate opened a change review, after a report of the edge eu-1',
  ],
])('tells %o', (told, text) => {
  expect(toldOf(told, at).text).toBe(text)
})

it('says that a version from before the registration belongs to the history of the policy', () => {
  const saved = event('version', { event_type: 'policy.updated', version: 9 })
  expect(toldOf(saved, '2026-11-23T14:03:00.000Z').text).toBe(
    'Policy history: Petra Sundelius saved version 9 of “Warehouse reads”',
  )
})

it('says that an agent may act before its approval, and links to the gate for those who may change it', () => {
  const agent = { ...fine, lifecycle_status: 'proposed', drift: null, approved_policy: null } as const
  const gate = gateClause(agent, 'alert', true)
  expect(gate).toMatchObject({ text: 'Not approved yet. It may act, because the gate only alerts', to: '/settings' })
  expect(gateClause({ ...agent, status: 'registered' }, 'alert', true)).toEqual(gate)
  expect(gateClause(agent, 'off', false)).not.toHaveProperty('to')
  expect(gateClause(agent, 'enforce', false)?.text).toBe('Not approved yet, so the gate denies every call')
  const told = clausesOf({ agent: { ...agent, running_policy: running(7) }, names, gate })
  expect(told.waiting.map(({ text }) => text)).toEqual([gate?.text])
  expect(told.wrong.map(({ text }) => text)).toEqual(['It runs version 7 of Warehouse reads'])
})

it('says nothing about the gate if something else decides', () => {
  const agent = { ...fine, lifecycle_status: 'proposed' } as const
  for (const other of [
    { frozen: true },
    { status: 'suspended' },
    { policy: null },
    { lifecycle_status: 'approved' },
  ] as const)
    expect(gateClause({ ...agent, ...other }, 'alert', true)).toBeUndefined()
})

describe('by which policy the reach is', () => {
  const policy = { id: 'p', name: 'Support', version: 5 }
  const of = (running: object | null, more: object = {}, gate: 'alert' | 'enforce' = 'alert') =>
    reachPoliciesOf(
      { ...fine, policy, running_policy: running, names: { p: 'Support', q: 'Refunds' }, ...more } as never,
      gate,
    )

  it('the assigned one, with what is known of the running one', () => {
    expect(of({ id: 'p', version: 5 })).toMatchObject({ assigned: 'version 5 of Support, assigned and running' })
    expect(of(null).assigned).toBe('version 5 of Support, assigned. No edge has reported what it runs')
    for (const { note, running } of [of(null), of({ id: 'p', version: 5 })])
      expect([note, running]).toEqual([undefined, undefined])
  })

  it.each([
    [{ status: 'suspended' }],
    [{ status: 'archived' }],
    [{ frozen: true }],
    [{ lifecycle_status: 'blocked' }],
    [{ lifecycle_status: 'retired' }],
    [{ lifecycle_status: 'proposed' }, 'enforce'],
  ] as const)('none of an agent with %j, because every call is denied', (stopped, gate?: 'enforce') => {
    const assigned = 'the profile that denies every call'
    expect(of({ id: 'p', version: 4 }, stopped, gate)).toEqual({ assigned, isStopped: true })
  })

  it('the assigned one where the gate lets the agent act', () => {
    expect(of(null, { lifecycle_status: 'proposed' }).isStopped).toBe(false)
    expect(of(null, {}, 'enforce').isStopped).toBe(false)
  })

  it('the running one can be chosen if it is another version or another policy', () => {
    expect(of({ id: 'p', version: 4 })).toEqual({
      assigned: 'version 5 of Support, assigned',
      isStopped: false,
      note: 'An edge runs version 4 of Support. Version 5 is assigned.',
      running: { id: 'p', version: 4, text: 'version 4 of Support, running' },
    })
    expect(of({ id: 'q', version: 1 }, { policy: null })).toMatchObject({
      assigned: 'no policy, so every call is denied',
      note: 'An edge runs version 1 of Refunds. No policy is assigned.',
      running: { id: 'q', version: 1 },
    })
    expect(of(null, { policy: null })).toEqual({ assigned: 'no policy, so every call is denied', isStopped: false })
  })

  it.each([
    { id: 'r', version: 1 },
    { id: 'p', version: null },
  ])('%j cannot be shown, and the note says that it runs', (running) => {
    expect(of(running).running).toBeUndefined()
    expect(of(running).note).toMatch(/^An edge runs/)
  })
})
