import { expect, it } from 'vitest'
import { differenceOf } from './telling-apart.ts'

const call = (id: string, args: Record<string, unknown> | null, rest = {}) => ({
  id,
  agent_id: 'a1',
  tool: 'mcp:stripe/refund',
  arguments: args,
  ...rest,
})

it('names the first argument that differs, and prefers one that no other call has', () => {
  const calls = [
    call('1', { currency: 'eur', amount: 48_900, order: 'A1' }),
    call('2', { currency: 'eur', amount: 21_000, order: 'A2' }),
    call('3', { currency: 'eur', amount: 21_000, order: 'A3' }),
  ]
  expect(calls.map((each) => differenceOf(each, calls))).toEqual([
    { name: 'amount', text: '48900' },
    { name: 'order', text: '"A2"' },
    { name: 'order', text: '"A3"' },
  ])
})

it('shows the part of a long text that differs', () => {
  const same = 'x'.repeat(200)
  const calls = [call('1', { text: `${same}one` }), call('2', { text: `${same}two` })]
  expect(differenceOf(calls[0]!, calls)).toEqual({ name: 'text', text: `…${'x'.repeat(12)}one"` })
  const long = [call('1', { text: `a${same}` }), call('2', { text: `b${same}` })]
  expect(differenceOf(long[0]!, long)).toEqual({ name: 'text', text: `"a${'x'.repeat(58)}…` })
})

it('says that an argument is absent', () => {
  const calls = [call('1', {}), call('2', { amount: 1 })]
  expect(differenceOf(calls[0]!, calls)).toEqual({ name: 'amount', text: 'absent' })
})

it('has only the time where the arguments are the same or not shown', () => {
  for (const args of [{ amount: 1 }, null]) {
    const calls = [call('1', args), call('2', args)]
    expect(differenceOf(calls[0]!, calls)).toBe('time')
  }
})

it('is about calls of the same agent and tool', () => {
  const others = [call('2', {}, { agent_id: 'a2' }), call('3', {}, { tool: 'mcp:mail/send' })]
  expect(differenceOf(call('1', {}), others)).toBeUndefined()
})
