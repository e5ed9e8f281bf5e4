import { version } from 'uuid'
import { expect, it } from 'vitest'
import { newDecisionId } from './decision-id.ts'

const timeIn = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

it('is a UUIDv7 of the time, unique, and in the order of creation', () => {
  const at = Date.now()
  const ids = Array.from({ length: 5000 }, (_, n) => newDecisionId(at + Math.floor(n / 1000)))
  expect(ids.every((id) => version(id) === 7)).toBe(true)
  expect(ids.map(timeIn)).toEqual(ids.map((_, n) => at + Math.floor(n / 1000)))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})

it('stays in order if the clock goes back a little, and follows the clock if it goes back far', () => {
  const at = Date.now() + 1_000_000
  const [first, second, third] = [at, at - 5000, at - 3_600_000].map((ms) => newDecisionId(ms)) as [
    string,
    string,
    string,
  ]
  expect(second > first).toBe(true)
  expect(timeIn(third)).toBe(at - 3_600_000)
})
