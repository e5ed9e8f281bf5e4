import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtinPatterns } from '../src/builtin/catalogue.ts'
import { compileContent } from '../src/compile-content.ts'
import { ContentPool } from '../src/pool/content-pool.ts'
import { FairQueue } from '../src/pool/fair-queue.ts'
import { inspectAnywhere } from '../src/pool/inspect-anywhere.ts'
import { PoolBusy, SearchFailed } from '../src/pool/pool-errors.ts'

const rules = {
  version: 1,
  bindings: [{ group: 'financial', on: 'results' as const, action: 'redact' as const }],
  patterns: builtinPatterns.filter(({ group }) => group === 'financial'),
}
const compiled = compileContent(rules)
const pool = new ContentPool()
const owner = 'agent'
afterAll(() => pool.close())

describe('a long value', () => {
  it('is inspected in a worker thread with the same result, and a short one at once', async () => {
    const card = '4111 1111 1111 1111'
    const short = inspectAnywhere({ rules, compiled, side: 'results', value: card, owner }, pool)
    expect(short).toMatchObject({ redacted: '[redacted:Payment card number]' })
    const filler = 'nothing to see here. '.repeat(10_000)
    const inWorker = vi.spyOn(pool, 'run')
    const long = inspectAnywhere({ rules, compiled, side: 'results', value: filler + card, owner }, pool)
    expect(inWorker).toHaveBeenCalledOnce()
    expect((await long)?.redacted).toBe(`${filler}[redacted:Payment card number]`)
  })

  it('may be long only by the digits of its numbers, or by the number of its values', async () => {
    const inWorker = vi.spyOn(pool, 'run').mockClear()
    const digits = '1'.repeat(20_000)
    const numbers = new Map([[Number(digits), { texts: [digits], isAlike: true }]])
    const request = { rules, compiled, side: 'results' as const, owner }
    await inspectAnywhere({ ...request, value: [Number(digits)], numbers }, pool)
    await inspectAnywhere({ ...request, value: Array.from({ length: 10_000 }, () => '') }, pool)
    expect(inWorker).toHaveBeenCalledTimes(2)
  })

  describe('whose search takes too long', () => {
    // The library has no fast way for this expression, and nothing in it is fixed.
    const expression = '\\b(?:\\d[ -]?){13,19}\\b'
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`)
    const slow = ids.map((id) => ({ id, name: id, group: 's', kind: 'regex' as const, expression, builtin: false }))
    const bindings = [{ group: 's', on: 'results' as const, action: 'flag' as const }]
    const own = { version: 1, bindings, patterns: slow }
    const value = '1 '.repeat(500_000)
    const request = { rules: own, compiled: compileContent(own), side: 'results' as const, value, owner }

    it('counts as not inspected, and the next one gets a new thread', async () => {
      const strict = new ContentPool({ searchMs: 150, clockMs: 60_000, workers: 1 })
      expect((await inspectAnywhere(request, strict))?.uninspected).toBe('the search took too long')
      const find = { kind: 'find', patterns: rules.patterns, text: 'x', most: 1 } as const
      expect(await strict.run({ ...find, text: 'card 4111 1111 1111 1111' }, owner)).toHaveLength(1)
      await strict.close()
      await expect(strict.run(find, owner)).rejects.toThrow('closed')
    })

    it('has a limit by the clock too', async () => {
      const strict = new ContentPool({ searchMs: 60_000, clockMs: 1, workers: 1 })
      expect((await inspectAnywhere(request, strict))?.uninspected).toBe('the search took too long')
      await strict.close()
    })
  })

  it('is inspected although the machine is busy: time in which the search does not run is not counted', async () => {
    const searchMs = 203
    const patient = new ContentPool({ searchMs, workers: 1 })
    onTestFinished(() => patient.close())
    const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, searchMs * 2)
    const { setTimeout: real } = globalThis
    // While the event loop stands still, the limit passes and the search ends. The timer is then due before the answer is read.
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((...given: Parameters<typeof real>) => {
      const timer = real(...given)
      if (given[1] === searchMs) setImmediate(block)
      return timer
    }) as typeof real)
    onTestFinished(() => timers.mockRestore())
    const find = { kind: 'find', patterns: rules.patterns, text: 'card 4111 1111 1111 1111', most: 1 } as const
    expect(await patient.run(find, owner)).toHaveLength(1)
  })
})

it('a job that is done leaves no timer, which would keep its value in memory', async () => {
  const started = vi.spyOn(globalThis, 'setTimeout')
  const ended = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const fresh = new ContentPool({ searchMs: 60_000, clockMs: 61_000, startMs: 62_000, waitMs: 63_000 })
  onTestFinished(() => fresh.close())
  const job = { kind: 'find', patterns: rules.patterns, text: 'card 4111 1111 1111 1111', most: 1 } as const
  expect(await fresh.run(job, owner)).toHaveLength(1)
  const isOfPool = (_: unknown, index: number) => Number(started.mock.calls[index]?.[1]) >= 60_000
  const timers = started.mock.results.filter(isOfPool).map(({ value }) => value)
  expect(timers).toHaveLength(4)
  const cleared = new Set(ended.mock.calls.map(([timer]) => timer))
  expect(timers.filter((timer) => !cleared.has(timer))).toEqual([])
})

describe('jobs that wait', () => {
  const job = { kind: 'find', patterns: rules.patterns, text: 'card 4111 1111 1111 1111', most: 1 } as const

  it('have a limit for each owner and for all', async () => {
    const small = new ContentPool({ workers: 1, waiting: 4, waitingOfOwner: 2, waitMs: 60_000, startMs: 60_000 })
    // The first job gets the worker at once. The others wait.
    const jobs = ['a', 'a', 'a', 'a', 'b', 'c', 'd'].map((one) => small.run(job, one).catch((error: Error) => error))
    const outcomes = (await Promise.all(jobs)).map((outcome) => (outcome instanceof PoolBusy ? 'refused' : 'done'))
    expect(outcomes).toEqual(['done', 'done', 'done', 'refused', 'done', 'done', 'refused'])
    await small.close()
  })

  it('get their turn by owner, and in order for one owner', () => {
    const queue = new FairQueue<string>()
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.slice(0, 1), item)
    queue.remove('c', 'c1')
    const order = Array.from({ length: 6 }, () => queue.shift())
    expect(order).toEqual(['a1', 'b1', 'c2', 'a2', 'a3', undefined])
    expect(queue.size).toBe(0)
  })

  it('are refused when they waited too long, and count as not inspected', async () => {
    const busy = new ContentPool({ workers: 1, waitMs: 1 })
    const value = 'x'.repeat(20_000)
    const first = busy.run(job, owner)
    const second = inspectAnywhere({ rules, compiled, side: 'results', value, owner }, busy)
    expect((await second)?.uninspected).toBe('too many texts wait for their inspection')
    expect(await first).toHaveLength(1)
    await busy.close()
  })

  it('fail with the reason if no thread can be started, and the process goes on', async () => {
    const program = `
      const { ContentPool } = await import(${JSON.stringify(new URL('../src/pool/content-pool.ts', import.meta.url).href)})
      const pool = new ContentPool()
      const reasons = ['a', 'b'].map((owner) => pool.run({ kind: 'find', patterns: [], text: '', most: 1 }, owner).catch(String))
      console.log(JSON.stringify(await Promise.all(reasons)))`
    // A process with these permissions must not start threads.
    const permissions = ['--permission', '--allow-fs-read=*']
    const given = [...permissions, '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, given)
    const reason = expect.stringContaining('SearchFailed: no thread can be started: ')
    expect(JSON.parse(stdout)).toEqual([reason, reason])
  })

  it('fail with the reason if a pattern cannot be compiled, and the thread goes on', async () => {
    const broken = { id: 'x', name: 'x', group: 'x', kind: 'regex' as const, expression: '(', builtin: false }
    await expect(pool.run({ ...job, patterns: [broken] }, owner)).rejects.toThrow(SearchFailed)
    expect(await pool.run(job, owner)).toHaveLength(1)
    const clone = { ...job, text: (() => '') as unknown as string }
    await expect(pool.run(clone, owner)).rejects.toThrow(SearchFailed)
    expect(await pool.run(job, owner)).toHaveLength(1)
  })
})

it('many short values at once let other events run in between', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const value = 'The number is 12345. '.repeat(700)
  const all = Array.from({ length: 40 }, () =>
    inspectAnywhere({ rules, compiled, side: 'results', value, owner }, pool),
  )
  expect(all[0]).not.toBeInstanceOf(Promise)
  await Promise.all(all)
  isDone = true
  expect(turns).toBeGreaterThan(5)
})

it('an owner with many short values does not delay the value of another owner', async () => {
  const value = 'The number is 12345. '.repeat(700)
  const done: string[] = []
  const inspectFor = async (one: string) => {
    await inspectAnywhere({ rules, compiled, side: 'results', value, owner: one }, pool)
    done.push(one)
  }
  await Promise.all([...Array.from({ length: 40 }, () => inspectFor('many')), inspectFor('one')])
  expect(done.indexOf('one')).toBeLessThan(10)
  expect(done).toHaveLength(41)
})
