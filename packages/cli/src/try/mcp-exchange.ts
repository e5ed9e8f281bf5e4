import { EventParser } from '@mandate/sdk/stream/event-parser'
import { Failure } from '../invocation/failure.ts'
import { printable } from '../output/printable.ts'

export type JsonObject = { readonly [key: string]: unknown }

/** The response of the edge to a request of an MCP client. */
export interface McpResponse {
  status: number
  headers: Headers
  /** The JSON-RPC answer. Undefined if the response has no answer. */
  answer: JsonObject | undefined
}

export interface McpRequest {
  url: URL
  headers: Readonly<Record<string, string>>
  /** The JSON text of one message. */
  body: string
  /** The id of the request. Undefined for a notification. */
  id: number | undefined
  timeoutMs: number
}

/** The most that is read of an answer, in bytes. */
const longestAnswer = 4 << 20

/** The most characters of an error that a terminal gets. */
const longestError = 2000

/** The edge did not answer a request in time. */
export class NoAnswerInTime extends Failure {}

/**
 * Sends a message to a tool server through the edge, and reads the answer: a JSON text, or a stream of events. Ignores the other messages of a stream.
 * @throws Failure if the edge cannot be reached, does not answer in time, or sends too much
 */
export async function exchangeMessage({ url, headers, body, id, timeoutMs }: McpRequest): Promise<McpResponse> {
  const signal = AbortSignal.timeout(timeoutMs)
  let hasHeaders = false
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
      redirect: 'error',
      signal,
    })
    hasHeaders = true
    return { status: response.status, headers: response.headers, answer: await answerIn(response, id) }
  } catch (error) {
    if (error instanceof Failure) throw error
    if (signal.aborted)
      throw new NoAnswerInTime(`no answer came through the edge at ${url.origin} within ${timeoutMs / 1000} seconds`)
    if (hasHeaders) throw new Failure(`the edge at ${url.origin} ended its answer before it was complete`)
    throw new Failure(`the edge cannot be reached at ${url.origin}, where it serves MCP clients`)
  }
}

async function answerIn(response: Response, id: number | undefined): Promise<JsonObject | undefined> {
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  const decoder = new TextDecoder()
  const parser = new EventParser()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > longestAnswer) throw new Failure(`the answer is longer than ${longestAnswer >> 20} MiB`)
    const piece = decoder.decode(chunk, { stream: true })
    if (!isStream) text += piece
    else {
      const answers = parser.feed(piece).map(({ data = '' }) => objectIn(data))
      const found = answers.find((message) => isAnswer(message) && message?.id === id)
      // The loop cancels the rest of the stream.
      if (found) return found
    }
  }
  const message = isStream ? undefined : objectIn(text)
  return isAnswer(message) ? message : undefined
}

const isAnswer = (message: JsonObject | undefined) => message !== undefined && !('method' in message)

function objectIn(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Returns the value if it is a JSON object, and undefined otherwise. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** What a JSON-RPC error says, for a terminal. Undefined if the answer is no error. */
export function errorIn({ answer, status }: McpResponse): string | undefined {
  const message = asObject(answer?.error)?.message
  if (typeof message === 'string') return printable(message.slice(0, longestError))
  return answer === undefined || 'error' in answer ? `status ${status}` : undefined
}
