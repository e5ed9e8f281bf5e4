import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Member } from '../../authz/actor.ts'
import type { EventSubscription } from '../../events/event-hub.ts'
import type { EventRow } from '../../events/event-row.ts'
import { createStreamMetrics } from '../../metrics/stream-metrics.ts'
import type { Services } from '../../services.ts'
import { EventStream } from './stream/event-stream.ts'
import { keepAliveMs, mostWaiting, TenantStreams } from './tenant-streams.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The answer of the database about callers: an owner with a session. */
const answers = async (): Promise<object[]> => [{ user_id: 'u', account_id: 'a', role: 'owner', id: 's' }]

/** A group of streams whose subscription is given later, as with a database that does not answer. */
function newGroup(all = answers) {
  const subscribed = Promise.withResolvers<EventSubscription>()
  const services = {
    events: { subscribe: () => subscribed.promise },
    db: { reader: () => ({ all }), global: { all } },
    log: pino({ level: 'silent' }),
  } as unknown as Services
  return { group: new TenantStreams(services, 't'), subscribed }
}

it('sends no keep-alive before it has subscribed', async () => {
  const { group, subscribed } = newGroup()
  const started = group.start()
  await vi.advanceTimersByTimeAsync(2 * keepAliveMs)
  expect(vi.getTimerCount()).toBe(0)
  subscribed.resolve({ close() {} } as EventSubscription)
  await started
  expect(vi.getTimerCount()).toBe(1)
  group.close()
})

it('a keep-alive that fails is sent again, and does not end the server', async () => {
  const { group, subscribed } = newGroup()
  const position = vi.fn(() => {
    throw new Error('no position')
  })
  subscribed.resolve({
    close() {},
    get position() {
      return position()
    },
  } as unknown as EventSubscription)
  await group.start()
  await vi.advanceTimersByTimeAsync(keepAliveMs)
  vi.useRealTimers()
  await vi.waitFor(() => expect(position.mock.calls.length).toBeGreaterThan(1), { timeout: 60_000 })
  group.close()
})

function newStream(): EventStream {
  const actor = { kind: 'person', tenantId: 't', userId: 'u', accountId: 'a', sessionId: 's', key: null } as Member
  const { events: metrics } = createStreamMetrics([new Registry()])
  return new EventStream(actor, { types: ['agent.changed'], decisions: undefined }, { metrics, onClosed() {} })
}

const rowsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const event = { type: 'agent.changed', audience: 'agent', resourceType: 'agent', resourceId: 'x', details: {} }
    return { ...event, id: `${name}-${at}`, at: '2026-01-01T00:00:00.000Z', isAudited: false } as EventRow
  })

it('a stream that joins after too many rows waited gets every row after it', async () => {
  vi.useRealTimers()
  const checked = Promise.withResolvers<void>()
  const { group, subscribed } = newGroup(() => checked.promise.then(answers))
  subscribed.resolve({ close() {}, settled: async () => ({}) } as EventSubscription)
  await group.start()
  const [early, late] = [newStream(), newStream()]
  await group.add(early)
  group.onRows(rowsOf('first', 5))
  // The first rows are on their way.
  group.onRows(rowsOf('many', mostWaiting))
  expect(early.isOpen).toBe(false)
  await group.add(late)
  group.onRows(rowsOf('new', 7))
  checked.resolve()
  const ids = () => String(late.response.read() ?? '').match(/^id: .*$/gm)
  await vi.waitFor(() => expect(ids()).toEqual(rowsOf('new', 7).map(({ id }) => `id: ${id}`)), { timeout: 60_000 })
  group.close()
})
