import type { Client, Transport } from '@modelcontextprotocol/client'

export interface Recorded {
  /** The answers of the server, sorted by request id, because the order of concurrent answers varies. */
  answers: unknown[]
  /** The messages that are not answers: requests and notifications from the server, sorted by their text. */
  said: string[]
}

/** Records every message that a client gets from its transport. Call it before the client connects. */
export function record(transport: Transport): () => Recorded {
  const messages: Record<string, unknown>[] = []
  const deliver = { take: transport.onmessage }
  Object.defineProperty(transport, 'onmessage', {
    get: () =>
      deliver.take &&
      ((message: never, extra: never) => {
        messages.push(structuredClone(message))
        deliver.take?.(message, extra)
      }),
    set: (take) => {
      deliver.take = take
    },
  })
  return () => ({
    answers: messages
      .filter((message) => !('method' in message))
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map(normalise),
    said: messages
      .filter((message) => 'method' in message)
      // The server numbers its requests in order, but the order of concurrent requests varies.
      .map((message) => JSON.stringify(normalise({ ...message, id: undefined })))
      .sort(),
  })
}

/** Replaces values that differ between runs: times, random ids and folders. */
export function normalise(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\d{1,2}:\d\d:\d\d(?: [AP]M)?(?:[^"\\]{0,12}\d{4})?/g, '<time>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/[0-9a-f]{32}/g, '<id>')
  return JSON.parse(text)
}

export type { Client }
