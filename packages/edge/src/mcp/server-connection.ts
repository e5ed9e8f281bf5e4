import type { Hold } from './holding.ts'
import type { JsonObject } from './json.ts'

/** A connection to a tool server that carries messages both ways. */
export interface ServerConnection {
  /** Whether as much waits for the server to take it as may. */
  readonly isFull: boolean
  /**
   * Sends messages in their order. `release` is called right before each of them goes out, or once for all that go out together.
   * Returns false if the first was not released: then nothing was sent. Resolves when they are on their way.
   * @throws where the server cannot be reached, and nothing was sent
   */
  send(messages: readonly JsonObject[], release: () => boolean): Promise<boolean>
  /** The JSON texts that the server sends, until the connection ends. `hold` counts what is read of the next. @throws where it breaks off */
  texts(hold: Hold): AsyncIterable<string>
  /** The value of `Authorization` for what is sent from now on, where the client brings it. */
  authorize?(authorization: string | null): void
  stop(graceMs?: number): Promise<void>
  /** Resolves when the connection has ended. */
  readonly exited: Promise<unknown>
}

/** Called with a message that could not be sent after `send` had resolved, and why. */
export type OnUnsent = (message: JsonObject, reason: string) => void
