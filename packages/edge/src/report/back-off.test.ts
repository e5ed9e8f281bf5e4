import { expect, test } from 'vitest'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { BackOff } from './back-off.ts'

const hourMs = 3_600_000
const never = new AbortController().signal
const away = new ControlPlaneAway('gone')

test('the wait doubles with each failure up to the limit, with jitter, and starts again after a success', () => {
  const backOff = new BackOff({ firstMs: 1000, longestMs: 5000 })
  for (const longest of [1000, 2000, 4000, 5000, 5000]) {
    const { waitMs, askedMs } = backOff.fail(away)
    expect(waitMs).toBeGreaterThanOrEqual(longest / 2)
    expect(waitMs).toBeLessThanOrEqual(longest)
    expect(askedMs).toBe(0)
  }
  expect(backOff.succeed()).toBe(true)
  expect(backOff.succeed()).toBe(false)
  expect(backOff.fail(away).waitMs).toBeLessThanOrEqual(1000)
})

test('the wait is at least as long as the control plane asked, also beyond the limit', () => {
  const backOff = new BackOff({ firstMs: 1, longestMs: 1 })
  expect(backOff.fail(new ControlPlaneAway('not now', 90_000))).toEqual({ waitMs: 90_000, askedMs: 90_000 })
  expect(backOff.fail(new Error('the disk failed')).askedMs).toBe(0)
})

test('ends when a heartbeat is answered, when it is over, and when it is aborted', async () => {
  const backOff = new BackOff()
  backOff.begin()
  const answered = backOff.wait({ waitMs: hourMs, askedMs: 0 }, never)
  backOff.answered()
  expect(await answered).toBe('answered')
  backOff.begin()
  expect(await backOff.wait({ waitMs: 1, askedMs: 0 }, never)).toBe('over')
  expect(await backOff.wait({ waitMs: hourMs, askedMs: hourMs }, AbortSignal.abort())).toBe('over')
  const stopping = new AbortController()
  const aborted = backOff.wait({ waitMs: hourMs, askedMs: 0 }, stopping.signal)
  stopping.abort()
  expect(await aborted).toBe('over')
})

test('ends at once if a heartbeat was answered during the failed try, but not for an earlier heartbeat', async () => {
  const backOff = new BackOff()
  backOff.begin()
  backOff.answered()
  expect(await backOff.wait({ waitMs: hourMs, askedMs: 0 }, never)).toBe('answered')
  backOff.begin()
  expect(await backOff.wait({ waitMs: 1, askedMs: 0 }, never)).toBe('over')
})

test('a heartbeat does not shorten the part that the control plane asked for', async () => {
  const backOff = new BackOff()
  const stopping = new AbortController()
  const order: string[] = []
  backOff.begin()
  const asked = backOff.wait({ waitMs: hourMs, askedMs: hourMs }, stopping.signal).then(() => order.push('asked'))
  backOff.answered()
  await new Promise((resolve) => setTimeout(resolve, 50))
  order.push('later')
  stopping.abort()
  await asked
  expect(order).toEqual(['later', 'asked'])
  backOff.begin()
  const short = backOff.wait({ waitMs: hourMs, askedMs: 50 }, never)
  backOff.answered()
  expect(await short).toBe('answered')
})
