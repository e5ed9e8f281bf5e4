// May take over 10 s: starts and stops real Redis servers, and the server looks for them at intervals.
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../testing/fault-proxy.ts'
import { hasRedis, startRedis, type TestRedis } from '../testing/redis.ts'
import { createRateLimits, type RateLimits } from './rate-limits.ts'

const rule = { name: 'test', limit: 100, windowSeconds: 60 }

describe.skipIf(!hasRedis)('rate limits while Redis fails (runs where redis-server is installed)', () => {
  let redis: TestRedis
  let proxy: FaultProxy
  let changes: (string | undefined)[]
  let limits: RateLimits
  const open = () =>
    createRateLimits(`redis://127.0.0.1:${proxy.port}`, (isUp, reason) => changes.push(isUp ? 'up' : (reason ?? '')))
  beforeEach(async () => {
    redis = await startRedis()
    proxy = await startFaultProxy({ host: '127.0.0.1', port: redis.port })
    changes = []
    limits = open()
    await limits.take(rule, 'warm up')
    expect(limits.redis).toBe('up')
  })
  afterEach(async () => {
    await limits.close()
    await proxy.close()
    await redis.stop()
  })

  const use = async (times: number, of = limits) => {
    let allowed = 0
    for (let n = 0; n < times; n++) if ((await of.take(rule, 'tenant')).allowed) allowed++
    return allowed
  }
  const until = (state: 'up' | 'down') => vi.waitFor(() => expect(limits.redis).toBe(state), { timeout: 60_000 })

  it('allow exactly the limit across three restarts that lose every count', async () => {
    let allowed = await use(60)
    for (let restart = 0; restart < 3; restart++) {
      await redis.stop()
      await until('down')
      allowed += await use(15)
      await redis.start()
      await until('up')
      allowed += await use(15)
    }
    expect(allowed).toBe(100)
  })

  it('report once that Redis cannot count, although it answers pings', async () => {
    const direct = new Redis({ port: redis.port, host: '127.0.0.1' })
    await direct.config('SET', 'maxmemory', '1')
    expect(await use(101)).toBe(100)
    await until('down')
    // The time of four probes.
    await pause(2_000)
    await use(3)
    expect(changes).toEqual([expect.stringContaining('OOM')])
    await direct.config('SET', 'maxmemory', '0')
    await until('up')
    expect(await use(3)).toBe(0)
    expect(changes).toHaveLength(2)
    direct.disconnect()
  })

  it('continue from the common count while Redis is away', async () => {
    const other = open()
    await use(40, other)
    expect(await use(1)).toBe(1)
    await redis.stop()
    await until('down')
    expect(await use(100)).toBe(59)
    await other.close()
  })

  it('give the count back to Redis, so that other instances continue from it', async () => {
    await use(30)
    await redis.stop()
    await until('down')
    await use(40)
    await redis.start()
    await until('up')
    await use(1)
    const other = open()
    expect(await use(100, other)).toBe(29)
    await other.close()
  })

  it('wait only once for a Redis that hangs, and not for each request', async () => {
    await use(1)
    proxy.isBlackHole = true
    await use(1)
    expect(limits.redis).toBe('down')
    // The open circuit answers without a timer, so none of these requests can wait for Redis.
    let ticks = 0
    const ticking = setInterval(() => ticks++, 100)
    await use(50)
    clearInterval(ticking)
    expect(ticks).toBeLessThan(20)
    proxy.isBlackHole = false
    await until('up')
  })

  it('report each change once, with the reason', async () => {
    proxy.isBlackHole = true
    await Promise.all(Array.from({ length: 20 }, () => limits.take(rule, 'tenant')))
    await use(5)
    expect(changes).toHaveLength(1)
    expect(changes[0]).not.toBe('')
    proxy.isBlackHole = false
    await until('up')
    expect(changes).toHaveLength(2)
    expect(changes[1]).toBe('up')
  })

  it('answer if Redis hangs from the start', async () => {
    proxy.isBlackHole = true
    const late = open()
    expect(await late.take(rule, 'tenant')).toMatchObject({ allowed: true, remaining: 99 })
    expect(late.redis).toBe('down')
    await late.close()
  })
})
