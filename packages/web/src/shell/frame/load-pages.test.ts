import { afterEach, expect, it, vi } from 'vitest'
import { waitForCode } from './load-pages.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('a page waits for its code until the server itself answers, and not its proxy', async () => {
  vi.useFakeTimers()
  const answers = [() => Promise.reject(new Error('no network')), () => new Response(null, { status: 502 })]
  const ask = vi.fn(async () => answers.shift()?.() ?? new Response(null, { status: 200 }))
  vi.stubGlobal('fetch', ask)
  const load = vi.fn(async () => {})
  const page = { preload: load as () => Promise<unknown> }
  waitForCode({ agents: { options: { component: page } } })
  const loaded = page.preload()
  await vi.advanceTimersByTimeAsync(3_000)
  await loaded
  expect(ask).toHaveBeenCalledTimes(3)
  expect(load).toHaveBeenCalledTimes(3)
})

it('a page asks less and less often while the server is away', async () => {
  vi.useFakeTimers()
  const ask = vi.fn(async () => new Response(null, { status: 502 }))
  vi.stubGlobal('fetch', ask)
  const page = { preload: async () => {} }
  waitForCode({ agents: { options: { component: page } } })
  void page.preload()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(ask).toHaveBeenCalledTimes(6)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).toHaveBeenCalledTimes(9)
})
