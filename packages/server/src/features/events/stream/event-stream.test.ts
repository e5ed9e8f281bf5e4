import { setImmediate as nextTurn } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import { createStreamMetrics } from '../../../metrics/stream-metrics.ts'
import { EventStream, mostHeldBytes, mostUnreadBytes, mostUnreadChecks } from './event-stream.ts'

const actor = { kind: 'person', tenantId: 't', userId: 'u', key: null } as Member

function newStream() {
  const registry = new Registry()
  const { events: metrics } = createStreamMetrics([registry])
  const stream = new EventStream(actor, { types: undefined, decisions: undefined }, { metrics, onClosed() {} })
  const cutOffs = async () => {
    const [series] = (await registry.getSingleMetric('mandate_streams_cut_off_total')?.get())?.values ?? []
    return series?.value
  }
  return { stream, cutOffs }
}

it('disconnects a reader that has more than the limit unread when the next events come', async () => {
  const { stream, cutOffs } = newStream()
  stream.send('x'.repeat(mostUnreadBytes))
  stream.send('x')
  expect([stream.isOpen, await cutOffs()]).toEqual([true, 0])
  stream.send('x')
  expect([stream.isOpen, await cutOffs()]).toEqual([false, 1])
  stream.send('x')
  expect([stream.response.readableLength, await cutOffs()]).toEqual([mostUnreadBytes + 1, 1])
})

it('disconnects a reader if more than the limit waits until the missed events are sent', async () => {
  const { stream, cutOffs } = newStream()
  stream.hold()
  stream.send('x'.repeat(mostHeldBytes))
  stream.send('x')
  expect([stream.isOpen, await cutOffs()]).toEqual([true, 0])
  stream.send('x')
  expect([stream.isOpen, await cutOffs()]).toEqual([false, 1])
})

it('disconnects a reader that has not read everything in several checks in a row', async () => {
  const { stream, cutOffs } = newStream()
  stream.send('event')
  stream.keepAlive('comment')
  stream.response.read()
  stream.keepAlive('comment')
  for (let check = 1; check < mostUnreadChecks; check++) stream.keepAlive('comment')
  expect(stream.isOpen).toBe(true)
  stream.keepAlive('comment')
  expect([stream.isOpen, await cutOffs()]).toEqual([false, 1])
})

it('waits with missed events until the reader has read most of the earlier ones', async () => {
  const { stream } = newStream()
  let isSent = false
  const sending = stream.sendMissed('x'.repeat(mostUnreadBytes), 1).then(() => {
    isSent = true
  })
  await nextTurn()
  expect(isSent).toBe(false)
  stream.response.resume()
  await sending
  expect(isSent).toBe(true)
})

it('counts no reader that leaves by itself', async () => {
  const { stream, cutOffs } = newStream()
  stream.response.destroy()
  await nextTurn()
  stream.send('event', 1)
  expect(await cutOffs()).toBe(0)
})
