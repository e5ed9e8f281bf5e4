import type { JsonObject } from '../messages/json.ts'
import type { LostText } from '../messages/lost-text.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import type { ServerEnd } from '../messages/server-end.ts'

/** A connection to a tool server that carries messages both ways. */
export interface ServerConnection {
  /** Whether too many messages wait to be accepted by the server. */
  readonly isFull: boolean
  /**
   * Sends messages in order. Calls `release` right before sending, to check that the messages may still be sent. If messages
   * are sent one by one, calls `release` before each message, with this message. If the first call of `release` returns false, sends nothing and
   * returns false. If a later call returns false, reports that message to `OnUnsent`.
   * @throws if the first message cannot be sent; then nothing was sent
   */
  send(messages: readonly JsonObject[], release: Release): Promise<boolean>
  /**
   * Returns the JSON texts that the server sends, until the connection ends. `reservation` counts the bytes of an incomplete
   * text. A text that is too long is lost alone.
   * @throws if the connection fails
   */
  texts(reservation: MemoryReservation): AsyncIterable<string | LostText>
  /** Sets the `Authorization` header of the client. It is sent with all later messages. */
  authorize?(authorization: string | null): void
  stop(graceMs?: number): Promise<unknown>
  /** Resolves when the connection has ended. Says how, if the edge started the server. */
  readonly exited: Promise<ServerEnd | null>
}

/** Gets the messages that are sent next, and returns whether they may be sent. */
export type Release = (sending: readonly JsonObject[]) => boolean

/** Called after `send` has returned, for each message that could not be sent or that the server refused. */
export type OnUnsent = (message: JsonObject, error: Error) => void
