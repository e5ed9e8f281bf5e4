import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Passage } from '../mediation/judge-message.ts'
import type { RequestFault } from '../messages/check-stateless-request.ts'
import type { Hold } from '../messages/holding.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import type { Client } from './client.ts'

/** One HTTP request of an identified client, and its response. */
export interface Exchange {
  readonly client: Client
  readonly passage: Passage
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Counts the bytes in memory for this request, first of the request and then of its answer. 0 when the exchange ends. */
  readonly hold: Hold
  /** The server's own session id. Null if the client named no session. */
  readonly session: string | null
  /** The client's `Authorization` header for the tool server. Null if the server does not get it. */
  readonly authorization: string | null
  /** Whether the server gets the `Authorization` header of its clients. */
  readonly forwardsAuthorization: boolean
  /** The id of the single request. Null for a batch, a notification, an answer or a stream. */
  readonly id: JsonValue
}

/** A decided POST: messages for the tool server, and answers to calls that do not reach it. */
export interface Judged {
  readonly onward: readonly JsonObject[]
  readonly answers: readonly JsonObject[]
  readonly isBatch: boolean
  /**
   * Called right before `onward` goes to the server. False if the rules changed or a message was cancelled: then nothing may
   * be sent, and the POST is decided again.
   */
  release(): boolean
}

/** A configured tool server, as the gateway reaches it. */
export interface Upstream {
  /** Whether the server gets the `Authorization` header of its clients. */
  readonly forwardsAuthorization?: boolean | undefined
  /** Why a request is refused before it is decided. Null if it is not refused. */
  check?(exchange: Exchange, message: JsonObject): Promise<RequestFault | null>
  /**
   * Forwards the decided messages (at least one) and answers the client. Returns false if they were not released; then it did
   * neither.
   */
  post(exchange: Exchange, judged: Judged): Promise<boolean>
  /** Opens the stream for messages that the server sends without a request. */
  listen(exchange: Exchange): Promise<void>
  /**
   * Sends a request of the edge and notes the tools in its answer. Null if a call would reach no server. @throws if no answer
   * comes
   */
  ask(exchange: Exchange, request: JsonObject): Promise<JsonObject | null>
  /** Ends a session. */
  end(exchange: Exchange): Promise<void>
  close(): Promise<void>
}

/**
 * Answers with JSON. If an answer is already partly sent, closes the connection instead, so that a partial answer does not
 * look complete.
 */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: object | null,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const text = body === null ? '' : JSON.stringify(body)
  const type = body === null ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...headers, ...type, 'content-length': Buffer.byteLength(text) }).end(text)
}
