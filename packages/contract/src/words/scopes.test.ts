import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { faultOfScope, scopeResources } from './scopes.ts'

describe('scopes', () => {
  it('accepts exactly the first segments of the paths that a key may call', () => {
    const forKeys = (Object.values(endpoints) as Endpoint[]).filter(({ access }) => access.by === 'role')
    const segments = new Set(forKeys.map(({ path }) => path.split('/')[1] as string))
    expect([...segments].toSorted()).toEqual([...scopeResources].toSorted())
  })

  it.each(['*', '*:read', 'agents:*', 'policies:write', 'governance-gate:read'])('accepts %s', (scope) => {
    expect(faultOfScope(scope)).toBeNull()
  })

  it.each([
    ['agent:read', 'the nearest is agents'],
    ['policy:*', 'the nearest is policies'],
    ['apikeys:write', 'the nearest is api-keys'],
  ])('refuses %s: %s', (scope, text) => expect(faultOfScope(scope)).toContain(text))

  it.each(['agents', 'agents:delete', ':read', 'Agents:read', ''])('rejects the malformed scope %j', (scope) => {
    expect(faultOfScope(scope)).toContain('must be <resource>:<action>')
  })
})
