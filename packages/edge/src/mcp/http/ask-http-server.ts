import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { GatheredBytes } from '../../gathered-bytes.ts'
import { answerKind } from '../gateway/answer-kind.ts'
import { noteOffered } from '../gateway/client.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { passServerText } from '../mediation/pass-server-text.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import { isObject, isRequest } from '../messages/read-message.ts'
import { answerForClient } from '../messages/rpc-error.ts'
import { readEvents } from './read-events.ts'

/**
 * Reads the tool server's answer (JSON or an event stream) to a request that the edge itself sent. Stores the tools that the
 * answer lists. If the server asks something before it answers, `reply` answers it. Returns null if the server does not know the
 * session. The caller needs no error then, because the tool call will fail for the same reason.
 * @throws if there is no answer
 */
export async function readOwnAnswer(
  { client, passage, session }: Exchange,
  request: JsonObject,
  answer: IncomingMessage,
  maxBytes: number,
  reply: (message: JsonObject) => void,
): Promise<JsonObject | null> {
  const reservation = client.memory.newReservation(maxBytes)
  try {
    if (answer.statusCode === 404 && session !== null) return null
    if (answer.statusCode !== 200) throw new Error(`the tool server answered with HTTP status ${answer.statusCode}`)
    const isStream = answerKind(answer.headers['content-type']) === 'stream'
    const texts = isStream ? eventsOf(answer, maxBytes, reservation) : [await textOf(answer, maxBytes, reservation)]
    for await (const text of texts) {
      const passed = passServerText(text, passage, (tools) => noteOffered(client, passage, tools))
      const { messages = [], replies = [] } = passed ?? {}
      for (const error of replies) reply(error)
      for (const message of messages) if (isRequest(message)) reply(answerForClient(message))
      const found = messages.find((message) => answers(message, request.id))
      if (found) return found as JsonObject
    }
    throw new Error('the tool server did not answer')
  } finally {
    answer.destroy()
    reservation.resize(0)
  }
}

function answers(message: JsonValue, id: JsonValue | undefined): boolean {
  return isObject(message) && message.method === undefined && message.id === id
}

async function textOf(answer: Readable, maxBytes: number, reservation: MemoryReservation): Promise<string> {
  const body = new GatheredBytes()
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    body.add(chunk)
    if (body.length > maxBytes || !reservation.resize(body.length))
      throw new Error('the answer of the tool server is too large, or the client has reached its memory limit')
  }
  return body.take().toString('utf8')
}

async function* eventsOf(answer: Readable, maxBytes: number, reservation: MemoryReservation) {
  for await (const { data, lost } of readEvents(answer, maxBytes, reservation)) yield lost ?? (data as string)
}
