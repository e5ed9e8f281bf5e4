import { afterEach, expect, it, vi } from 'vitest'
import { whyNot } from './why-not.ts'

afterEach(() => vi.restoreAllMocks())

const row = { may: ['updateAgent'], may_not: { archiveAgent: 'requires the role member' } }

it('returns the reason of the server, and nothing for an action that the caller may take', () => {
  expect(whyNot(row, 'archiveAgent')).toBe('requires the role member')
  expect(whyNot(row, 'updateAgent')).toBeUndefined()
})

it('allows nothing while the row is read', () => {
  const reason = 'Mandate is still reading what you may do.'
  expect(whyNot(undefined, 'archiveAgent')).toBe(reason)
  expect(whyNot({}, 'archiveAgent')).toBe(reason)
})

it('reports an action that the server does not list', () => {
  const report = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(whyNot(row, 'createFreeze')).toBeUndefined()
  expect(report).toHaveBeenCalledExactlyOnceWith('the server says nothing about createFreeze')
})
