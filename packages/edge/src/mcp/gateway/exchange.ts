import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerSecrets } from '../../credentials/server-secrets.ts'
import type { Passage } from '../mediation/check-message.ts'
import type { RequestFault } from '../messages/check-stateless-request.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import { rpcError } from '../messages/rpc-error.ts'
import type { Client } from './client.ts'

/** One HTTP request of an identified client, and its response. */
export interface Exchange {
  readonly client: Client
  readonly passage: Passage
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Counts the bytes in memory for this request, and later those for its answer. The count is 0 when the exchange ends. */
  readonly reservation: MemoryReservation
  /** The id of the session that the client named. The tool server issued this id. Null if the client named no session. */
  readonly session: string | null
  /** The client's `Authorization` header, to be forwarded to the tool server. Null if it is not forwarded. */
  readonly authorization: string | null
  /** Whether the edge forwards the `Authorization` headers of clients to the tool server. */
  readonly forwardsAuthorization: boolean
  /** What is known of the JSON-RPC requests of a POST while they have no answer. */
  readonly asked: AskedRequests
}

export interface AskedRequests {
  ids: readonly JsonValue[]
  isBatch: boolean
  /** The edge's answers to the requests that it stopped. */
  answers: readonly JsonObject[]
  /** The ids of the requests whose answer was sent on the stream of the response. */
  readonly answered: Set<JsonValue>
  /** Whether the tool server may have got the requests. */
  isSent: boolean
  /** Whether the POST opens a subscription, which is answered when it ends. */
  isSubscription: boolean
}

/**
 * A POST whose messages were checked against the policy. `onward` contains the messages to forward to the tool server.
 * `answers` contains the edge's answers to the calls that it stopped.
 */
export interface CheckedMessages {
  readonly onward: readonly JsonObject[]
  readonly answers: readonly JsonObject[]
  readonly isBatch: boolean
  /**
   * Must be called right before messages of `onward` are sent to the server. Returns false if the rules changed or a message was cancelled.
   * The caller then does not send them. If nothing was sent, it checks the messages against the policy again.
   */
  release(sending: readonly JsonObject[]): boolean
}

/** A configured tool server. Each transport implements this interface. */
export interface Upstream {
  /** Whether the edge forwards the `Authorization` headers of clients to the tool server. */
  readonly forwardsAuthorization?: boolean | undefined
  /** The secrets that the control plane has for the server. Absent if the server needs none. */
  readonly secrets?: ServerSecrets | undefined
  /** Returns why the edge refuses a request before it asks the policy. Returns null if the request is not refused. */
  check?(exchange: Exchange, message: JsonObject): Promise<RequestFault | null>
  /** Answers a POST that cannot be sent, whatever the policy decides about its messages. Returns whether it did. */
  refuses?(exchange: Exchange, messages: readonly JsonObject[], isBatch: boolean): boolean
  /**
   * Sends the messages in `checked.onward` (at least one) to the server, and answers the client. If `checked.release` returns
   * false, sends nothing and returns false.
   */
  post(exchange: Exchange, checked: CheckedMessages): Promise<boolean>
  /** Opens a stream for messages that the server sends without a request of the client. */
  listen(exchange: Exchange): Promise<void>
  /**
   * Sends a request that the edge itself created, and stores the tools in its answer. Returns null if there is no valid session
   * for the request. The caller needs no error then, because the tool call will fail for the same reason.
   * @throws if no answer comes
   */
  ask(exchange: Exchange, request: JsonObject): Promise<JsonObject | null>
  /** Answers a request of the server with an error, because the edge refused the client's answer. Drops the error if the server takes no more messages. */
  reply(exchange: Exchange, error: JsonObject): void
  /** Ends a session. */
  end(exchange: Exchange): Promise<void>
  close(): Promise<void>
}

/** Returns the ids of the requests that wait for an answer of the tool server. */
export function waitingIds({ answered, answers, ids }: AskedRequests): JsonValue[] {
  const stopped = new Set(answers.map(({ id }) => id))
  return ids.filter((id) => !stopped.has(id) && !answered.has(id))
}

/**
 * Builds the answer to a POST whose requests got none. `errorFor` builds the error of one request; its id is null if no request waits. The
 * answer to a batch is a list, with the edge's own answers.
 */
export function errorsFor(asked: AskedRequests, errorFor: (id: JsonValue) => JsonObject): JsonObject | JsonObject[] {
  const errors = waitingIds(asked).map(errorFor)
  const all = [...asked.answers, ...errors]
  return asked.isBatch && all.length > 0 ? all : (errors[0] ?? errorFor(null))
}

/** Answers the requests of a POST with an error. @param more data for the client, and headers of the response */
export function answerError(
  { asked, response }: Pick<Exchange, 'asked' | 'response'>,
  status: number,
  [code, message]: [code: number, message: string],
  { data, headers }: { data?: JsonObject | undefined; headers?: Record<string, string> | undefined } = {},
): void {
  answerJson(
    response,
    status,
    errorsFor(asked, (id) => rpcError(id, code, message, data)),
    headers,
  )
}

/**
 * Answers with JSON. If part of an answer was already sent, closes the connection instead, so that the partial answer does
 * not look complete.
 */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: object | null,
  headers: Record<string, string> = {},
): void {
  answerText(response, status, body === null ? '' : JSON.stringify(body), headers)
}

/** As `answerJson`, with a JSON text. No body is sent for an empty text. */
export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const type = text === '' ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...headers, ...type, 'content-length': Buffer.byteLength(text) }).end(text)
}
