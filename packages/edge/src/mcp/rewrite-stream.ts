import type { ServerResponse } from 'node:http'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Exchange, Judged } from './exchange.ts'
import { listChanged, passServerText } from './pass-server-text.ts'
import { SseBlocks, type SseEvent, withData } from './sse-blocks.ts'
import { acknowledgedSubscription, listChangedFor, maxSubscriptions } from './subscriptions.ts'

/**
 * Passes a server-sent stream to the client with lists of tools filtered, and tells on it when the list changed by policy.
 * `judged` null: the stream of what the server says on its own account. Throws when either side breaks off.
 */
export async function rewriteStream(
  { client, passage, response, hold }: Exchange,
  source: Readable,
  judged: Judged | null,
  maxBytes: number,
): Promise<void> {
  const subscriptions = new Set<string | number>()
  const blocks: SseBlocks = new SseBlocks(rewrite, maxBytes, hasRoom)
  const unread = writableTo(response, hasRoom)
  for (const answer of judged?.answers ?? []) blocks.insert(answer)
  const tell = () => {
    if (judged === null) blocks.insert(listChanged)
    for (const id of subscriptions) blocks.insert(listChangedFor(id))
  }
  client.onListChanged.add(tell)
  response.flushHeaders()
  try {
    await pipeline(source, blocks, unread)
  } finally {
    client.onListChanged.delete(tell)
  }

  function hasRoom(): boolean {
    return hold.resize(response.destroyed ? 0 : blocks.heldLength + unread.writableLength)
  }

  function rewrite(event: SseEvent): string | null {
    // How the transport of 2024-11-05 names the address to send to: it would lead the client past the edge.
    if (event.type === 'endpoint') return null
    if (event.data === null) return event.block
    const passed = passServerText(event.data, passage, (tools) => client.offered.note(tools))
    if (passed === null) return event.block
    for (const message of passed.messages) {
      const id = acknowledgedSubscription(message)
      if (id !== null && subscriptions.size < maxSubscriptions) subscriptions.add(id)
    }
    return passed.text === event.data ? event.block : withData(event, passed.text)
  }
}

/** Writes to a response, so that `writableLength` is all that its client has not read. `onSent` is called when that gets less. */
function writableTo(response: ServerResponse, onSent: () => void): Writable {
  const writable = new Writable({
    write(chunk, _encoding, done) {
      response.write(chunk, (error) => {
        done(error)
        onSent()
      })
    },
    final(done) {
      response.end(done)
    },
  })
  response.once('close', () => writable.destroy())
  return writable
}
