import type { ServerResponse } from 'node:http'
import { finished, type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { noteOffered } from '../gateway/client.ts'
import type { CheckedMessages, Exchange } from '../gateway/exchange.ts'
import type { OfferedTool } from '../mediation/filter-tools.ts'
import { inspectServerText } from '../mediation/inspect-server-text.ts'
import { OpenCalls } from '../mediation/open-calls.ts'
import { passServerText } from '../mediation/pass-server-text.ts'
import { closingOf } from '../messages/closed-answer.ts'
import { Handshakes } from '../messages/handshakes.ts'
import type { JsonObject } from '../messages/json.ts'
import type { FilteredList } from '../messages/list-changes.ts'
import { mayHaveTakenEffect, rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { acknowledgedSubscription, changesFor, maxSubscriptions } from '../messages/subscriptions.ts'
import { inspectFields } from './inspect-fields.ts'
import { dataLines, readEvent, SseBlocks, type SseEvent, silence, withData } from './sse-blocks.ts'

const endedEarly = `The tool server ended its stream before it answered. ${mayHaveTakenEffect}`

/**
 * Forwards the allowed events of an SSE stream to the client. Also tells the client when a policy change affects its
 * lists. `checked` contains the client's messages (already checked against the policy) that the stream answers. `checked` is
 * null if the client opened the stream with a GET, to receive the server's own messages. `reply` sends an error to the server
 * for each request of the server that is not forwarded. If `mayBeEarlier` is true, the stream may have texts of calls that were made before
 * the edge started.
 * If the server breaks off its stream, the client's stream ends with an error for each open request, because clients wait there for the answers.
 * @throws if the client disconnects, if an event must not pass, or if no memory is left
 */
export async function rewriteStream(
  { asked, client, passage, response, reservation, mayBeEarlier = true }: Exchange & { mayBeEarlier?: boolean },
  source: Readable,
  checked: CheckedMessages | null,
  maxBytes: number,
  reply: (message: JsonObject) => void = () => {},
): Promise<void> {
  const handshakes = new Handshakes()
  handshakes.note(checked?.onward ?? [])
  // A resumed stream has answers to requests of earlier connections.
  const calls = new OpenCalls(passage, { takesUnknown: () => checked === null, mayBeEarlier })
  calls.note(checked?.onward ?? [])
  const subscriptions = new Map<string | number, readonly FilteredList[]>()
  let mayResume = false
  const blocks: SseBlocks = new SseBlocks(rewrite, maxBytes, hasRoom, unanswered)
  const unread = writableTo(response, hasRoom)
  for (const answer of checked?.answers ?? []) blocks.insert(answer)
  const tell = () => {
    const changes = checked === null ? client.lists.changesOf(passage.server) : []
    for (const [id, lists] of subscriptions) changes.push(...changesFor(id, lists))
    for (const change of changes) blocks.insert(change)
  }
  client.onListChanged.add(tell)
  response.flushHeaders()
  try {
    const forwarded = pipeline(blocks, unread)
    finished(source, { writable: false }, (error) => {
      if (!error || response.destroyed) return
      passage.log.warn({ err: error, server: passage.server }, 'a tool server broke off its stream')
      blocks.end()
    })
    source.pipe(blocks)
    await forwarded
  } finally {
    source.destroy()
    client.onListChanged.delete(tell)
  }

  function hasRoom(): boolean {
    return reservation.resize(response.destroyed ? 0 : blocks.bufferedLength + unread.writableLength)
  }

  /** Errors for the requests that the stream did not answer. A client that got the id of an event can resume the stream. */
  function unanswered(): JsonObject[] {
    return mayResume ? [] : calls.ids.map((id) => rpcError(id, upstreamFailed, endedEarly))
  }

  async function rewrite(event: SseEvent): Promise<string | null> {
    const block = await rewriteEvent(event)
    // The event that the client gets may have no id, although that of the server has one.
    if (event.id && block !== null) mayResume ||= Boolean(readEvent(block).id)
    return block
  }

  async function rewriteEvent(event: SseEvent): Promise<string | null> {
    // In the transport of MCP revision 2024-11-05, this event names the address that the client sends messages to. A client
    // that uses that address would bypass the edge.
    if (event.type === 'endpoint') return null
    const isClosed = closingOf(passage.guard) !== null
    // While the edge is closed (denies every call of the agent), it drops the comments, ids and types of events, because the
    // server could hide data in them.
    // For the same reason, comments and unknown fields do not pass while content rules look at results.
    const rebuild = passage.guard.inspectsResults() ? inspectFields(event, passage, calls.newest) : null
    const text = event.lost ?? event.data
    if (text === null || text === '') {
      if (isClosed) return silence
      return rebuild ? (await rebuild)(event.data) : event.block
    }
    const onOffer = (tools: readonly OfferedTool[]) => noteOffered(client, passage, tools)
    const mayPass = passServerText(text, passage, onOffer, (answer) => handshakes.take(answer), calls)
    const passed = await inspectServerText(mayPass, passage, calls)
    for (const error of passed?.replies ?? []) reply(error)
    if (passed === null || passed.text === null) return silence
    for (const message of passed.messages) {
      if (message.method === undefined) asked.answered.add(message.id ?? null)
      const acknowledged = acknowledgedSubscription(message)
      if (acknowledged !== null && subscriptions.size < maxSubscriptions)
        subscriptions.set(acknowledged.id, acknowledged.lists)
    }
    if (isClosed) return `${dataLines(passed.text)}\n\n`
    if (rebuild) return (await rebuild)(passed.text)
    return passed.text === event.data ? event.block : withData(event, passed.text)
  }
}

/**
 * Writes to a response so that `writableLength` counts everything that the client has not read. Calls `onSent` whenever
 * `writableLength` decreases.
 */
function writableTo(response: ServerResponse, onSent: () => void): Writable {
  const writable = new Writable({
    write(chunk, _encoding, done) {
      // The edge ends the response itself when it stops, and when the servers file replaces the server.
      if (response.writableEnded) return done()
      response.write(chunk, (error) => {
        done(error)
        onSent()
      })
    },
    final(done) {
      if (response.writableEnded) return done()
      response.end(done)
    },
  })
  response.once('close', () => writable.destroy())
  return writable
}
