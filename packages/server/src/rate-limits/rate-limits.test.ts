import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createRateLimits, type RateLimits } from './rate-limits.ts'

const opened: RateLimits[] = []
const open = (redisUrl?: string) => {
  const limits = createRateLimits(redisUrl)
  opened.push(limits)
  return limits
}
afterEach(async () => {
  for (const limits of opened.splice(0)) await limits.close()
})

const rule = { name: 'test', limit: 3, windowSeconds: 60 }

describe('rate limits in the process', () => {
  it('allow requests up to the limit, report what remains, and then refuse', async () => {
    const limits = open()
    const states = [1, 2, 3, 4, 5].map(() => limits.take(rule, 'tenant'))
    expect((await Promise.all(states)).map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ])
  })

  it('report the limit and the whole seconds until the window ends, at least one', async () => {
    const { limit, resetSeconds } = await open().take(rule, 'tenant')
    expect(limit).toBe(3)
    expect(Number.isInteger(resetSeconds) && resetSeconds >= 1 && resetSeconds <= 60).toBe(true)
  })

  it('count each subject and each rule separately', async () => {
    const limits = open()
    await Promise.all([1, 2, 3].map(() => limits.take(rule, 'one')))
    expect((await limits.take(rule, 'one')).allowed).toBe(false)
    expect(await limits.take(rule, 'two')).toMatchObject({ allowed: true, remaining: 2 })
    expect((await limits.take({ ...rule, name: 'other' }, 'one')).allowed).toBe(true)
  })

  it('start a new window when the old one has ended', async () => {
    const limits = open()
    const short = { name: 'short', limit: 1, windowSeconds: 1 }
    await limits.take(short, 'tenant')
    expect((await limits.take(short, 'tenant')).allowed).toBe(false)
    await sleep(1100)
    expect((await limits.take(short, 'tenant')).allowed).toBe(true)
  })

  it('allow exactly the limit for many simultaneous requests', async () => {
    const limits = open()
    const states = await Promise.all(Array.from({ length: 100 }, () => limits.take({ ...rule, limit: 40 }, 'tenant')))
    expect(states.filter(({ allowed }) => allowed)).toHaveLength(40)
  })

  it('count in the process while Redis cannot be reached', async () => {
    const limits = open('redis://127.0.0.1:1')
    const allowed: boolean[] = []
    for (let use = 0; use < 4; use++) allowed.push((await limits.take(rule, 'tenant')).allowed)
    expect(allowed).toEqual([true, true, true, false])
  })
})

const redisUrl = process.env.TEST_REDIS_URL
describe.skipIf(!redisUrl)('rate limits in Redis (runs when TEST_REDIS_URL is set)', () => {
  it('two instances share one count', async () => {
    const [one, two] = [open(redisUrl), open(redisUrl)]
    const shared = { ...rule, limit: 20, windowSeconds: 5 }
    const subject = `tenant-${process.pid}-${Date.now()}`
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, use) => (use % 2 ? one : two).take(shared, subject)),
    )
    expect(states.filter(({ allowed }) => allowed)).toHaveLength(20)
    expect(await one.take(shared, subject)).toMatchObject({ allowed: false, remaining: 0 })
  })
})

describe('the memory of the windows is bounded', () => {
  it('a rule with 100,000 subjects drops the oldest one, and windows of other rules stay', async () => {
    const limits = open()
    const other = { ...rule, name: 'other' }
    await limits.take(other, 'tenant')
    await limits.take(rule, 'first')
    await limits.take(rule, 'second')
    for (let n = 0; n < 99_999; n++) await limits.take(rule, `2001:db8:0:${n.toString(16)}::/64`)
    expect((await limits.take(rule, 'second')).remaining).toBe(1)
    expect((await limits.take(rule, 'first')).remaining).toBe(2)
    expect((await limits.take(other, 'tenant')).remaining).toBe(1)
  })
})
