import type { Hold } from '../messages/holding.ts'
import type { JsonObject } from '../messages/json.ts'

/** A connection to a tool server that carries messages both ways. */
export interface ServerConnection {
  /** Whether too many messages wait for the server to take them. */
  readonly isFull: boolean
  /**
   * Sends messages in order. Calls `release` right before each message, or once for messages that are sent together. Returns false if
   * the first message is not released; then nothing is sent.
   * @throws if the server cannot be reached; then nothing was sent
   */
  send(messages: readonly JsonObject[], release: () => boolean): Promise<boolean>
  /** The JSON texts that the server sends, until the connection ends. `hold` counts the bytes of an incomplete text. @throws if the connection fails */
  texts(hold: Hold): AsyncIterable<string>
  /** Sets the client's `Authorization` header, which is sent from now on. */
  authorize?(authorization: string | null): void
  stop(graceMs?: number): Promise<void>
  /** Resolves when the connection has ended. */
  readonly exited: Promise<unknown>
}

/** Called with a message that could not be sent, and the reason, after `send` has returned. */
export type OnUnsent = (message: JsonObject, reason: string) => void
