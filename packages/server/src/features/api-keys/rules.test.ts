import { describe, expect, it } from 'vitest'
import type { Member } from '../../authz/actor.ts'
import type { Refusal } from '../../refusal.ts'
import { bindToRefusal, expiryRefusal, keyChangeRefusal, keysSeenBy, newKeyRefusal, scopesRefusal } from './rules.ts'

const person = (role: Member['role'], accessScope: Member['accessScope'] = 'all'): Member => ({
  kind: 'person',
  tenantId: 'tenant',
  userId: 'user',
  accountId: 'account',
  email: 'person@example.com',
  displayName: '',
  role,
  accessScope,
  academyOnly: false,
  readOnly: false,
  key: null,
})
const through = (member: Member, environmentId: string | null, scopes: string[] = []): Member => ({
  ...member,
  kind: 'api_key',
  key: { id: 'key', prefix: 'mk_00000', name: 'key', scopes, environmentId },
})

describe('which keys a caller sees', () => {
  it.each([
    ['owner', person('owner'), { createdBy: null, environmentId: null }],
    ['manager', person('manager'), { createdBy: null, environmentId: null }],
    ['member', person('member'), { createdBy: 'user', environmentId: null }],
    ['viewer', person('viewer'), { createdBy: 'user', environmentId: null }],
    ["owner's bound key", through(person('owner'), 'e'), { createdBy: null, environmentId: 'e' }],
    ["manager's bound key", through(person('manager'), 'e'), { createdBy: null, environmentId: 'e' }],
    ["member's bound key", through(person('member'), 'e'), { createdBy: 'user', environmentId: 'e' }],
    ["member's tenant-wide key", through(person('member'), null), { createdBy: 'user', environmentId: null }],
  ])('%s', (_who, actor, seen) => expect(keysSeenBy(actor)).toEqual(seen))
})

describe('which environment a caller may choose for a key', () => {
  const bound = through(person('owner'), 'e')
  it.each([
    ['owner, tenant-wide', person('owner'), null, true, true],
    ['owner, an environment', person('owner'), 'e', true, true],
    ['member with access all, tenant-wide', person('member'), null, true, true],
    ['scoped manager, tenant-wide', person('manager', 'scoped'), null, false, false],
    ['scoped member, an environment', person('member', 'scoped'), 'e', true, true],
    ['bound key, its environment', bound, 'e', true, false],
    ['bound key, another environment', bound, 'f', false, false],
    ['bound key, tenant-wide', bound, null, false, false],
    ['tenant-wide key of an owner, tenant-wide', through(person('owner'), null), null, true, true],
    [
      'tenant-wide key of a user who is scoped now, tenant-wide',
      through(person('member', 'scoped'), null),
      null,
      false,
      false,
    ],
  ])('%s', (_who, actor, environmentId, make, bind) => {
    expect(passes(newKeyRefusal(actor, environmentId))).toBe(make)
    expect(passes(bindToRefusal(actor, environmentId))).toBe(bind)
  })

  it('members and above manage keys, viewers do not', () => {
    const allowed = (['viewer', 'member', 'manager', 'owner'] as const).filter((role) =>
      passes(keyChangeRefusal(person(role))),
    )
    expect(allowed).toEqual(['member', 'manager', 'owner'])
  })
})

describe('a key created through a key has no more rights than that key', () => {
  it('in scopes', () => {
    const readOnly = through(person('owner'), null, ['*:read'])
    expect(passes(scopesRefusal(readOnly, []))).toBe(false)
    expect(passes(scopesRefusal(readOnly, ['agents:*']))).toBe(false)
    expect(passes(scopesRefusal(readOnly, ['agents:read']))).toBe(true)
    expect(passes(scopesRefusal(person('owner'), []))).toBe(true)
  })

  it('in time', () => {
    const own = '2030-01-01T00:00:00.000Z'
    expect(passes(expiryRefusal(own, null))).toBe(false)
    expect(passes(expiryRefusal(own, '2030-01-01T00:00:00.001Z'))).toBe(false)
    expect(passes(expiryRefusal(own, own))).toBe(true)
    expect(passes(expiryRefusal(null, null))).toBe(true)
  })
})

function passes(refusal: Refusal | undefined): boolean {
  return refusal === undefined
}
