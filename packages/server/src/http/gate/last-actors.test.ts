import { describe, expect, it } from 'vitest'
import type { Member } from '../../authz/actor.ts'
import { bearerToken } from '../../caller/bearer-token.ts'
import { isSame, LastActors } from './last-actors.ts'

const key = { id: 'k', prefix: 'mk_12345', name: 'key', scopes: ['agents:read'], environmentId: null }
const member: Member = {
  kind: 'api_key',
  tenantId: 't',
  userId: 'u',
  accountId: 'a',
  email: 'u@example.com',
  displayName: 'U',
  role: 'member',
  accessScope: 'all',
  academyOnly: false,
  readOnly: false,
  key,
}

const others: [string, Member][] = [
  ['kind', { ...member, kind: 'person' }],
  ['tenantId', { ...member, tenantId: 'x' }],
  ['userId', { ...member, userId: 'x' }],
  ['accountId', { ...member, accountId: null }],
  ['email', { ...member, email: 'x' }],
  ['displayName', { ...member, displayName: 'x' }],
  ['role', { ...member, role: 'viewer' }],
  ['accessScope', { ...member, accessScope: 'scoped' }],
  ['readOnly', { ...member, readOnly: true }],
  ['academyOnly', { ...member, academyOnly: true }],
  ['key', { ...member, key: null }],
  ['key.id', { ...member, key: { ...key, id: 'x' } }],
  ['key.prefix', { ...member, key: { ...key, prefix: 'x' } }],
  ['key.name', { ...member, key: { ...key, name: 'x' } }],
  ['key.environmentId', { ...member, key: { ...key, environmentId: 'e' } }],
  ['key.scopes, fewer', { ...member, key: { ...key, scopes: [] } }],
  ['key.scopes, others', { ...member, key: { ...key, scopes: ['agents:write'] } }],
]

describe('isSame', () => {
  it('is true for an equal actor', () => expect(isSame(member, structuredClone(member))).toBe(true))

  it.each(others)('is false for a different %s', (_field, other) => {
    expect(isSame(member, other)).toBe(false)
    expect(isSame(other, member)).toBe(false)
  })

  it('the cases cover every field of an actor', () => {
    const named = new Set(others.map(([name]) => name.split(/[.,]/)[0]))
    expect([...named].toSorted()).toEqual(Object.keys(member).toSorted())
    const ofKey = others.flatMap(([name]) => /^key\.(\w+)/.exec(name)?.[1] ?? [])
    expect([...new Set(ofKey)].toSorted()).toEqual(Object.keys(key).toSorted())
  })
})

it('drops the actor of a credential that is refused', async () => {
  const actors = new LastActors()
  expect(actors.of(bearerToken('Bearer x'))?.actor).toBeUndefined()
  await actors.of(bearerToken('Bearer x'))?.update(Promise.resolve(member))
  expect(actors.of(bearerToken('Bearer x'))?.actor).toBe(member)
  expect(actors.of(bearerToken('Bearer y'))?.actor).toBeUndefined()
  await expect(actors.of(bearerToken('Bearer x'))?.update(Promise.reject(new Error('refused')))).rejects.toThrow(
    'refused',
  )
  expect(actors.of(bearerToken('Bearer x'))?.actor).toBeUndefined()
})
