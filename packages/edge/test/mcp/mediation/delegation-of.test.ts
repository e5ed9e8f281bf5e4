import { expect, it } from 'vitest'
import { delegationOf, withoutDelegation } from '../../../src/mcp/mediation/delegation-of.ts'

const message = (meta: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'a', _meta: { ...meta } },
})

it('takes the delegation of the message, or that of the request', () => {
  expect(delegationOf(message({}), undefined)).toBeUndefined()
  expect(delegationOf({ jsonrpc: '2.0' }, 'md_a')).toBe('md_a')
  expect(delegationOf(message({ 'mandate/delegation': 'md_a' }), undefined)).toBe('md_a')
  expect(delegationOf(message({ 'mandate/delegation': 'md_a' }), 'md_a')).toBe('md_a')
})

it('gives no token for two different delegations, and for a value that is not a text', () => {
  expect(delegationOf(message({ 'mandate/delegation': 'md_a' }), 'md_b')).toBe('')
  expect(delegationOf(message({ 'mandate/delegation': null }), undefined)).toBe('')
  expect(delegationOf(message({ 'mandate/delegation': ['md_a'] }), 'md_a')).toBe('')
})

it('removes the delegation from what the tool server gets, and nothing else', () => {
  const one = message({ 'mandate/delegation': 'md_a', progressToken: 1 })
  expect(withoutDelegation(one)).toEqual(message({ progressToken: 1 }))
  const other = message({ progressToken: 1 })
  expect(withoutDelegation(other)).toBe(other)
})
