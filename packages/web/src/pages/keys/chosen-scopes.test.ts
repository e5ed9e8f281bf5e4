import { expect, test } from 'vitest'
import { scopesIn, withScope } from './chosen-scopes.ts'

test('adds and removes a scope, and keeps what was written', () => {
  expect(scopesIn(' audit:read, users:read ')).toEqual(['audit:read', 'users:read'])
  expect(withScope('', 'audit:read', true)).toBe('audit:read')
  expect(withScope('agent:write, audit:read', 'users:read', true)).toBe('agent:write audit:read users:read')
  expect(withScope('agent:write audit:read', 'audit:read', false)).toBe('agent:write')
})
