import { type Role, roles } from '@mandate/contract/words/roles'
import { describe, expect, it } from 'vitest'
import type { Member } from '../../authz/actor.ts'
import type { Refusal } from '../../refusal.ts'
import {
  changeRefusal,
  changeRequestRefusal,
  isLastOwner,
  learnerRoleRefusal,
  mfaReset,
  sameAuthorityRefusal,
  sentChange,
  sessionRevocation,
  signInRefusal,
  signInRequestRefusal,
  type Target,
} from './rules.ts'

type Kind = 'person' | 'key' | 'bound key'

function actor(role: Role, kind: Kind = 'person', over: Partial<Member> = {}): Member {
  const key = { id: 'k', prefix: 'mk_00000', name: 'key', scopes: [], environmentId: kind === 'bound key' ? 'e' : null }
  return {
    kind: kind === 'person' ? 'person' : 'api_key',
    tenantId: 't',
    userId: 'me',
    accountId: 'a',
    email: 'me@example.com',
    displayName: 'Me',
    role,
    accessScope: 'all',
    academyOnly: false,
    readOnly: false,
    key: kind === 'person' ? null : key,
    ...over,
  }
}

const target = (role: Role, over: Partial<Target> = {}): Target => ({
  id: 'other',
  role,
  status: 'active',
  academy_only: false,
  read_only: false,
  ...over,
})

function answer(refusal: Refusal | undefined): number | string {
  return refusal ? (refusal.code ?? refusal.status) : 200
}

function mayChange(by: Member, of: Target, change: ReturnType<typeof sentChange>): number | string {
  return answer(changeRequestRefusal(by, of.id, change) ?? changeRefusal(by, of, change))
}

const named = sentChange({})
const sends = (role: unknown) => sentChange({ role })
const kinds: Kind[] = ['person', 'key', 'bound key']
const everyone = kinds.flatMap((kind) => roles.map((role) => [kind, role] as const))

describe('who may change which users', () => {
  it.each(everyone)('a %s of a(n) %s may change their own display name', (kind, role) => {
    expect(mayChange(actor(role, kind), target(role, { id: 'me' }), named)).toBe(200)
  })

  it.each(everyone)('a %s of a(n) %s: the whole matrix of other users and roles', (kind, role) => {
    const power = kind === 'bound key' && role === 'owner' ? 'manager' : role
    for (const held of roles) {
      const aboveMember = power === 'manager' || power === 'owner'
      const reached = power === 'owner' || (power === 'manager' && held !== 'owner')
      expect(mayChange(actor(role, kind), target(held), named)).toBe(reached ? 200 : 403)
      for (const given of roles) {
        const allowed = reached && (given !== 'owner' || power === 'owner')
        expect(mayChange(actor(role, kind), target(held), sends(given)), `${held} to ${given}`).toBe(
          allowed ? 200 : 403,
        )
      }
      expect(mayChange(actor(role, kind), target(held), sends('nonsense'))).toBe(reached ? 200 : 403)
      if (!aboveMember) expect(mayChange(actor(role, kind), target(role, { id: 'me' }), sends(role))).toBe(403)
    }
  })

  it.each(everyone)('a %s of a(n) %s: only an owner may set or remove read_only', (kind, role) => {
    const expected = role === 'owner' && kind !== 'bound key' ? 200 : 403
    for (const value of [true, false, 'nonsense'])
      for (const of of [target('member'), target('owner'), target(role, { id: 'me' })])
        expect(mayChange(actor(role, kind), of, sentChange({ read_only: value }))).toBe(expected)
  })

  it.each(everyone)('a read-only %s of a(n) %s may change only their own display name', (kind, role) => {
    const by = actor(role, kind, { readOnly: true })
    const self = target(role, { id: 'me', read_only: true })
    expect(mayChange(by, self, named)).toBe(200)
    for (const change of [{ role }, { role: 'viewer' }, { read_only: false }, { read_only: true }, { read_only: 'no' }])
      expect(mayChange(by, self, sentChange(change)), JSON.stringify(change)).toBe(403)
    for (const held of roles) expect(mayChange(by, target(held), named)).toBe(403)
  })

  it('a key limited by scopes cannot remove read_only from an owner', () => {
    const key = { id: 'k', prefix: 'mk_00000', name: 'key', scopes: ['users:*'], environmentId: null }
    const by = actor('owner', 'key', { key })
    const remove = sentChange({ read_only: false })
    expect(mayChange(by, target('owner', { read_only: true }), remove)).toBe(403)
    expect(mayChange(by, target('manager', { read_only: true }), remove)).toBe(200)
    expect(mayChange(by, target('manager', { read_only: true }), sentChange({ role: 'owner' }))).toBe(403)
    expect(mayChange(by, target('owner'), sentChange({ read_only: true }))).toBe(200)
  })

  it("a bound key's refusals say why", () => {
    const key = actor('owner', 'bound key')
    expect(changeRefusal(key, target('member'), sends('owner'))?.message).toBe(
      'an API key bound to an environment cannot make anyone an owner',
    )
    for (const refused of [
      changeRefusal(key, target('owner', { id: 'me' }), sends('member')),
      changeRefusal(key, target('owner'), named),
      signInRefusal(key, target('manager'), mfaReset),
    ]) {
      expect(refused?.message).toBe('an API key bound to an environment cannot take an action reserved for owners')
    }
  })

  it('a learner may only change their own display name, whatever role is stored', () => {
    for (const role of roles) {
      const learner = actor(role, 'person', { academyOnly: true })
      expect(mayChange(learner, target(role, { id: 'me' }), named)).toBe(200)
      expect(mayChange(learner, target(role, { id: 'me' }), sends('viewer'))).toBe('academy_only_account')
      expect(mayChange(learner, target('viewer'), named)).toBe('academy_only_account')
    }
  })

  it('a learner’s role is viewer, and another stored role may be corrected', () => {
    const of = (role: Role) => target(role, { academy_only: true })
    for (const given of roles) {
      const expected = given === 'viewer' ? 200 : 'academy_only_user'
      for (const held of roles) expect(answer(learnerRoleRefusal(of(held), given))).toBe(expected)
      expect(answer(learnerRoleRefusal(target('member'), given))).toBe(200)
    }
    expect(answer(learnerRoleRefusal(of('member'), undefined))).toBe(200)
  })
})

describe('the last owner', () => {
  const owner = target('owner', { id: 'a' })

  it('is the owner without another active owner who is not a learner', () => {
    expect(isLastOwner([owner], owner)).toBe(true)
    expect(isLastOwner([owner, target('owner', { id: 'b' })], owner)).toBe(false)
    expect(isLastOwner([owner, target('owner', { id: 'b', status: 'pending' })], owner)).toBe(true)
    expect(isLastOwner([owner, target('owner', { id: 'b', academy_only: true })], owner)).toBe(true)
    expect(isLastOwner([owner, target('manager', { id: 'b' })], owner)).toBe(true)
  })

  it('is never a pending invitation or a user with another role', () => {
    const pending = target('owner', { id: 'b', status: 'pending' })
    expect(isLastOwner([owner, pending], pending)).toBe(false)
    expect(isLastOwner([owner], target('manager'))).toBe(false)
  })
})

describe('a caller whose role changed during the request', () => {
  it('409 if the role, the status or the kind of account has changed, or the user was removed', () => {
    const by = actor('owner')
    const self = target('owner', { id: 'me' })
    expect(answer(sameAuthorityRefusal(by, self))).toBe(200)
    for (const stored of [undefined, { ...self, role: 'member' as const }, { ...self, academy_only: true }]) {
      expect(answer(sameAuthorityRefusal(by, stored))).toBe(409)
    }
  })
})

describe.each([
  ['reset whose MFA', mfaReset],
  ['end whose sessions', sessionRevocation],
])('who may %s', (_, action) => {
  it.each(everyone)('a %s of a(n) %s: the whole matrix', (kind, role) => {
    const power = kind === 'bound key' && role === 'owner' ? 'manager' : role
    const reset = (of: Target) =>
      answer(signInRequestRefusal(actor(role, kind), of.id, action) ?? signInRefusal(actor(role, kind), of, action))
    for (const held of roles) {
      const allowed = power === 'owner' || (power === 'manager' && (held === 'member' || held === 'viewer'))
      expect(reset(target(held)), held).toBe(allowed ? 200 : 403)
      expect(reset(target(held, { id: 'me' })), `own, ${held}`).toBe(403)
    }
  })
})
