import { expect, it } from 'vitest'
import {
  accessWords,
  factorOptions,
  factorQuery,
  factorWords,
  freeSeats,
  grantsEnd,
  learnerActs,
  roleText,
  seatClause,
  withoutFactorClause,
} from './words.ts'

it.each([
  [{ used: 24, max: 50, invited: 3 }, '24 of 50 seats are taken, 3 of them by open invitations'],
  [{ used: 2, max: 5, invited: 1 }, '2 of 5 seats are taken, 1 of them by an open invitation'],
  [{ used: 1, max: 1, invited: 0 }, '1 of 1 seat is taken'],
  [{ used: 1, max: null, invited: 0 }, '1 seat is taken'],
  [{ used: 10_000, max: null, invited: 0 }, '10,000+ seats are taken'],
])('%j reads %s', (seats, text) => {
  expect(seatClause(seats).replaceAll('\u00a0', ' ')).toBe(text)
})

it('full access ends the grants that there are', () => {
  expect(grantsEnd({ agents: 0 })).toBe('')
  expect(grantsEnd({ agents: 2 })).toBe(' The grants of 2\u00a0agents are removed.')
})

it.each([
  [{ used: 2, max: 5, invited: 1 }, 3],
  [{ used: 6, max: 5, invited: 2 }, 0],
  [{ used: 2, max: null, invited: 1 }, null],
])('%j leaves %s seats free, because invitations are among the used seats', (seats, free) => {
  expect(freeSeats(seats)).toBe(free)
})

it.each([
  [{ access_scope: 'all', agents: null, environments: null }, 'All'],
  [{ access_scope: 'scoped', agents: 9, environments: 1 }, 'Scoped, 9 agents, 1 environment'],
  [{ access_scope: 'scoped', agents: 0, environments: 1 }, 'Scoped, 1 environment'],
  [{ access_scope: 'scoped', agents: 0, environments: 0 }, 'Scoped, nothing granted'],
  // A member does not learn what was granted to others.
  [{ access_scope: 'scoped' }, 'Scoped'],
])('the access %j reads %s', (user, text) => {
  expect(accessWords(user as never).replaceAll('\u00a0', ' ')).toBe(text)
})

it('says of a role that the person is read-only', () => {
  expect(roleText({ role: 'manager', read_only: true })).toBe('Manager, read-only')
  expect(roleText({ role: 'owner', read_only: false })).toBe('Owner')
})

it.each([
  [{ mfa_enrolled: true, factors: ['totp', 'passkey'], federated: false }, 'code, passkey'],
  [{ mfa_enrolled: true, factors: ['totp'], federated: true }, 'code'],
  [{ mfa_enrolled: false, factors: [], federated: true }, 'by sign-in provider'],
  [{ mfa_enrolled: false, factors: [], federated: false }, undefined],
] as const)('the second factor of %j reads %s', ({ factors, ...user }, text) => {
  expect(factorWords({ ...user, factors: [...factors] })).toBe(text)
})

it('each option of the filter asks for other people, and an unknown value asks for everyone', () => {
  expect(factorOptions.map(({ value }) => factorQuery(value))).toEqual([
    { mfa_enrolled: true },
    { mfa_enrolled: false, federated: true },
    { mfa_enrolled: false, federated: false },
  ])
  for (const value of [undefined, 'true', 'constructor']) expect(factorQuery(value)).toBeUndefined()
})

it('leaves out the clause about second factors if everyone has one', () => {
  expect(withoutFactorClause(0)).toEqual([])
  expect(withoutFactorClause(1)).toEqual([
    { text: '1\u00a0person has no second factor', to: '/team', search: { second_factor: 'none' }, tone: 'deny' },
  ])
})

it('a learner can be removed, and loses the sessions and the second factor', () => {
  const actsOf = (status: 'active' | 'pending') => learnerActs({ status }).map(({ name }) => name)
  expect(actsOf('active')).toEqual(['Reset MFA', 'End sessions', 'Remove'])
  expect(actsOf('pending')).toEqual(['Withdraw'])
})
