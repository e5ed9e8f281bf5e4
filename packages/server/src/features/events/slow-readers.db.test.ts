import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { mostStreamsOfCaller } from '@mandate/contract/events'
import { expect, it, vi } from 'vitest'
import { addKey, createTenant } from '../../testing/arrange.ts'
import { openStream } from '../../testing/open-stream.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
const eventsOfBatch = 500
const textOfEvent = 2_000
const bytesOfBatch = eventsOfBatch * (textOfEvent + 500)

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes in buffers that are still in use. */
function bufferBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

/** Stores large events, as a busy tenant does in some minutes. */
async function storeEvents(tenantId: string): Promise<void> {
  const insert = `
    insert into events (tenant_id, slot, id, place, xact_id, snapshot, stored_at, at, type, audience, is_audited, resource_type, resource_id, details)
    select $1, 0, gen_random_uuid(), nextval('event_places'), pg_current_xact_id(), pg_current_snapshot(), now(), now(), 'edge.silent', 'edge',
      false, 'edge', gen_random_uuid(), jsonb_build_object('name', repeat('x', ${textOfEvent}))
    from generate_series(1, ${eventsOfBatch})`
  await server.owner.query(insert, [tenantId])
  server.services.events.notifier.queue(tenantId)
}

/** Opens a stream on a connection that is not read after its first bytes. */
async function openUnread(credential: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${credential}\r\n\r\n`)
  await once(socket, 'readable')
  expect(String(socket.read(12))).toBe('HTTP/1.1 200')
  return socket
}

async function cutOffs(): Promise<number> {
  const text = await server.services.metrics.expose()
  return Number(/^mandate_streams_cut_off_total\{kind="events"\} (\d+)$/m.exec(text)?.[1])
}

it('readers that do not read are disconnected and take a limited amount of memory; others get every event', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const tenant = await createTenant(server)
  const key = await addKey(server, tenant.id, tenant.owner)
  const slow = await Promise.all(Array.from({ length: mostStreamsOfCaller }, () => openUnread(key.raw)))
  const fast = await openStream(server.url, tenant.owner.accessToken)
  const before = bufferBytes()
  let [batches, most] = [0, 0]
  while ((await cutOffs()) < slow.length && batches < 60) {
    await storeEvents(tenant.id)
    batches++
    await vi.waitFor(() => expect(fast.events).toHaveLength(batches * eventsOfBatch), { timeout: 60_000 })
    most = Math.max(most, bufferBytes() - before)
  }
  expect(await cutOffs()).toBe(slow.length)
  // Each reader keeps at most two batches: one on its way to the socket, and one behind it. Readers with the same events share them.
  expect(most).toBeLessThan(slow.length * bytesOfBatch)
  for (const socket of slow) {
    let text = ''
    for await (const chunk of socket) text = `${text.slice(-100)}${chunk}`
    // A complete response would have the last chunk, which is empty.
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false)
  }
  expect(fast.isEnded).toBe(false)
  fast.close()
})
