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
  /** Counts the bytes in memory for this request, and later those for its answer. The count is 0 when the exchange ends. */
  readonly hold: Hold
  /** The session id that the tool server gave. Null if the client named no session. */
  readonly session: string | null
  /** The `Authorization` header of the client, for the tool server. Null if the server does not get it. */
  readonly authorization: string | null
  /** Whether the server gets the `Authorization` headers of its clients. */
  readonly forwardsAuthorization: boolean
  /** The id of the request, if the POST contains exactly one request. Null for a batch, a notification, an answer or a stream. */
  readonly id: JsonValue
}

/** A POST after the decision: the messages for the tool server, and the answers to the calls that were stopped. */
export interface Judged {
  readonly onward: readonly JsonObject[]
  readonly answers: readonly JsonObject[]
  readonly isBatch: boolean
  /**
   * Called right before `onward` is sent to the server. Returns false if the rules changed or a message was cancelled. Then
   * nothing may be sent, and the POST is decided again.
   */
  release(): boolean
}

/** How the gateway uses a configured tool server, over any transport. */
export interface Upstream {
  /** Whether the server gets the `Authorization` headers of its clients. */
  readonly forwardsAuthorization?: boolean | undefined
  /** Returns why a request is refused before the edge decides it, or null if the request is not refused. */
  check?(exchange: Exchange, message: JsonObject): Promise<RequestFault | null>
  /** Forwards the decided messages (at least one) and answers the client. If `release` returned false, does neither and returns false. */
  post(exchange: Exchange, judged: Judged): Promise<boolean>
  /** Opens a stream for the messages that the server sends on its own. */
  listen(exchange: Exchange): Promise<void>
  /**
   * Sends a request of the edge and stores the tools from its answer. Returns null if a tool call could not reach the server
   * either. @throws if no answer comes
   */
  ask(exchange: Exchange, request: JsonObject): Promise<JsonObject | null>
  /** Ends a session. */
  end(exchange: Exchange): Promise<void>
  close(): Promise<void>
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
  if (response.headersSent) {
    response.destroy()
    return
  }
  const text = body === null ? '' : JSON.stringify(body)
  const type = body === null ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...headers, ...type, 'content-length': Buffer.byteLength(text) }).end(text)
}
