import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Passage } from '../mediation/judge-message.ts'
import type { RequestFault } from '../messages/check-stateless-request.ts'
import type { Hold } from '../messages/holding.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import type { Client } from './client.ts'

/** One HTTP request of a client, past the door. */
export interface Exchange {
  readonly client: Client
  readonly passage: Passage
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Counts what it makes wait in memory: what it asks, then what it is answered. Empty once it is over. */
  readonly hold: Hold
  /** The upstream's own session id, where the client named a session of its own. */
  readonly session: string | null
  /** The client's `Authorization` header for the tool server. Null if the server does not get it. */
  readonly authorization: string | null
  /** Whether the server gets the `Authorization` header of its clients. */
  readonly forwardsAuthorization: boolean
  /** The id of the one request that is asked; null for a batch, a notification, an answer or a stream. */
  readonly id: JsonValue
}

/** What a POST holds once it is judged: messages for the tool server, and answers for calls that do not reach it. */
export interface Judged {
  readonly onward: readonly JsonObject[]
  readonly answers: readonly JsonObject[]
  readonly isBatch: boolean
  /**
   * Called right before `onward` goes to the server. False: it must not, since the rules became others or a message was
   * called off, and is judged again.
   */
  release(): boolean
}

/** Where a configured server is reached. */
export interface Upstream {
  /** Whether the server gets the `Authorization` header of its clients. */
  readonly forwardsAuthorization?: boolean | undefined
  /** Why a request is refused before it is judged; null where it is not. */
  check?(exchange: Exchange, message: JsonObject): Promise<RequestFault | null>
  /** Sends on what is judged (at least one message) and answers the client. False: it was not released, and neither is done. */
  post(exchange: Exchange, judged: Judged): Promise<boolean>
  /** Opens the stream of what the server says on its own account. */
  listen(exchange: Exchange): Promise<void>
  /** Sends a request of the edge's own, and notes the tools in its answer; null where a call would reach no server. @throws where no answer comes */
  ask(exchange: Exchange, request: JsonObject): Promise<JsonObject | null>
  /** Ends a session. */
  end(exchange: Exchange): Promise<void>
  close(): Promise<void>
}

/** Answers with JSON. Where an answer has begun, the connection is cut instead: half an answer must not look whole. */
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
