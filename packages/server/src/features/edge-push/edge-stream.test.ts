import { setImmediate as nextTurn } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createStreamMetrics } from '../../metrics/stream-metrics.ts'
import { EdgeStream } from './edge-stream.ts'

const actor = { kind: 'edge', tenantId: 't', credentialId: 'e', environmentId: 'v', name: 'edge' } as const
const { edge: metrics } = createStreamMetrics([new Registry()])
const newStream = (onClosed = () => {}) =>
  new EdgeStream({ actor, keyDigest: Buffer.alloc(32), instanceId: 'one', metrics, onClosed })

it('disconnects an edge that has more than 256 KiB unread', async () => {
  let closed = 0
  const stream = newStream(() => closed++)
  stream.send('x'.repeat(256 * 1024))
  expect(stream.isOpen).toBe(true)
  stream.send('x')
  expect(stream.isOpen).toBe(false)
  await nextTurn()
  expect(closed).toBe(1)
})

it('disconnects an edge that reads nothing during three checks in a row', () => {
  const stream = newStream()
  stream.send('event')
  stream.keepAlive()
  stream.response.read()
  stream.keepAlive()
  for (const isOpen of [true, true, false]) {
    expect(stream.isOpen).toBe(true)
    stream.keepAlive()
    expect(stream.isOpen).toBe(isOpen)
  }
})

it('belongs to requests of its instance, and without an instance to those of its key', () => {
  expect(newStream().isOf('e', 'one')).toBe(true)
  expect(newStream().isOf('e', 'two')).toBe(false)
  expect(newStream().isOf('other', 'one')).toBe(false)
  const ofKey = new EdgeStream({ actor, keyDigest: Buffer.alloc(32), instanceId: undefined, metrics, onClosed() {} })
  expect(ofKey.isOf('e', 'two')).toBe(true)
  expect(ofKey.isOf('other', 'two')).toBe(false)
})
