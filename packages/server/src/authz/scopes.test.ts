import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scopesPermit, scopesWithin } from './scopes.ts'

const resources = ['agents', 'policies', 'api-keys', 'users']
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const requests = resources.flatMap((resource) => methods.map((method) => ({ resource, method })))

const scope = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('*', ...resources), fc.constantFrom('read', 'write', '*'))
      .map((parts) => parts.join(':')),
  },
)
const scopes = fc.array(scope, { maxLength: 5 })
const permitted = (of: readonly string[]) => requests.map(({ resource, method }) => scopesPermit(of, resource, method))

describe('scopes', () => {
  it.each([
    [[], 'agents', 'DELETE', true],
    [['*'], 'agents', 'DELETE', true],
    [['*:*'], 'agents', 'DELETE', true],
    [['*:read'], 'agents', 'GET', true],
    [['*:read'], 'agents', 'HEAD', true],
    [['*:read'], 'agents', 'POST', false],
    [['*:read'], 'agents', 'PUT', false],
    [['*:read'], 'agents', 'PATCH', false],
    [['*:read'], 'agents', 'DELETE', false],
    [['agents:read'], 'agents', 'GET', true],
    [['agents:read'], 'agents', 'POST', false],
    [['agents:*'], 'agents', 'POST', true],
    [['agents:*'], 'policies', 'GET', false],
    [['agents:write'], 'agents', 'GET', false],
    [['agents:read', 'policies:*'], 'policies', 'DELETE', true],
    [['agent:*'], 'agents', 'GET', false],
  ])('%j: %s by %s is permitted: %s', (held, resource, method, expected) => {
    expect(scopesPermit(held, resource, method)).toBe(expected)
  })

  it('every resource that is not listed is denied', () => {
    const listed = fc.subarray(resources, { minLength: 1 })
    fc.assert(
      fc.property(listed, fc.constantFrom('read', 'write', '*'), (names, action) => {
        const held = names.map((name) => `${name}:${action}`)
        return requests.every(
          ({ resource, method }) => names.includes(resource) || !scopesPermit(held, resource, method),
        )
      }),
    )
  })

  it('can only narrow: no list of scopes permits more than an empty list', () => {
    fc.assert(
      fc.property(scopes, (held) => {
        const unrestricted = permitted([])
        return permitted(held).every((allowed, at) => !allowed || unrestricted[at])
      }),
    )
  })

  it('text that is not a scope permits nothing', () => {
    const junk = fc.string().filter((text) => text !== '*' && !/^[^:]*:(read|write|\*)/.test(text))
    fc.assert(fc.property(junk, (text) => permitted([text]).every((allowed) => !allowed)))
  })
})

describe('scopes within scopes', () => {
  it('is sound: outer scopes permit everything that inner scopes permit', () => {
    fc.assert(
      fc.property(scopes, scopes, (inner, outer) => {
        fc.pre(scopesWithin(inner, outer))
        const wider = permitted(outer)
        return permitted(inner).every((allowed, at) => !allowed || wider[at])
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses an empty list and a bare * within restricted scopes', () => {
    const restricted = fc.array(
      scope.filter((each) => each !== '*'),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(fc.property(restricted, (outer) => !scopesWithin([], outer) && !scopesWithin(['*', ...outer], outer)))
  })

  it('accepts scopes within themselves, in part and in whole', () => {
    fc.assert(
      fc.property(scopes, (held) => {
        const part = held.slice(0, 1)
        return scopesWithin(held, held) && (held.length === 0 || scopesWithin(part, held))
      }),
    )
  })

  it('accepts a scope that two scopes cover together', () => {
    expect(scopesWithin(['agents:*'], ['agents:read', '*:write'])).toBe(true)
    expect(
      scopesWithin(
        ['*:read'],
        resources.map((name) => `${name}:read`),
      ),
    ).toBe(false)
  })
})
