import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Clients } from '../../../src/mcp/gateway/client.ts'
import { rewriteStream } from '../../../src/mcp/http/rewrite-stream.ts'
import { MemoryBudget } from '../../../src/mcp/messages/memory-budget.ts'
import { newToken } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'

/** A stream to a client that reads nothing until `read`, with room for 1,000 bytes. */
function startStream() {
  const token = newToken()
  const guard = policyGuard(allowAll)
  const client = new Clients([{ token, guard }], ['files'], { maxMemoryBytes: 1_000_000, sessionSecret: '' }).byToken(
    token,
  )
  if (!client) throw new Error('no client')
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const budget = new MemoryBudget(1000)
  const passage = { guard, server: 'files', log: { info: () => {}, warn: () => {} } }
  const exchange = {
    client,
    passage,
    request,
    response,
    reservation: budget.newReservation(),
    session: null,
    authorization: null,
    forwardsAuthorization: false,
    asked: { ids: [], isBatch: false, answers: [], answered: new Set<number>(), isSent: false, isSubscription: false },
  }
  const source = new PassThrough()
  return {
    source,
    over: rewriteStream(exchange, source, null, 10_000),
    changeRules: () => guard.change(allowAll),
    read: () => response.assignSocket(new PassThrough().resume() as unknown as Socket),
    isCounted: () => {
      const other = budget.newReservation()
      const isRefused = !other.resize(500)
      other.resize(0)
      return isRefused
    },
  }
}

const event = (length: number) => {
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: '' } }
  const data = 'x'.repeat(length - JSON.stringify(message).length)
  return `data: ${JSON.stringify({ ...message, params: { data } })}\n\n`
}

describe('the unread part of an inspected stream', () => {
  it('is counted until the client reads it', async () => {
    const { source, over, read, isCounted } = startStream()
    source.write(event(600))
    await expect.poll(isCounted).toBe(true)
    read()
    await expect.poll(isCounted).toBe(false)
    source.end(event(600))
    await over
    expect(isCounted()).toBe(false)
  })

  it('breaks the stream off above the limit', async () => {
    const { source, over } = startStream()
    const broken = expect(over).rejects.toThrow('no memory left')
    source.write(event(600))
    source.write(event(600))
    await broken
  })

  it('loses an event for which no room is left, and goes on', async () => {
    const { source, over, read } = startStream()
    read()
    const long = event(5000)
    source.write(long.slice(0, 2000))
    source.write(long.slice(2000))
    source.end(event(600))
    await over
  })

  it('breaks it off above the limit with notifications of rule changes', async () => {
    const { over, changeRules } = startStream()
    const broken = expect(over).rejects.toThrow('no memory left')
    for (let n = 0; n < 20; n++) changeRules()
    await broken
  })
})
