import type { JsonObject, JsonValue } from './json.ts'

/** A JSON-RPC batch of a client. The batch contains requests, so the client waits for answers. */
interface Batch {
  readonly waiting: Set<JsonValue>
  /** As JSON, because a number may have more digits than a parsed message keeps. */
  answers: string[]
  bytes: number
}

/**
 * Maximum number of requests whose answers are collected, in all batches. The answers to further batches are sent one by one,
 * as they arrive.
 */
const maxWaiting = 10_000

/**
 * Collects the answers to the requests of a JSON-RPC batch into one batch, because a client may expect one answer to each
 * batch. The server sends separate answers: it gets each message on its own line, because the MCP SDK reads single messages
 * only.
 */
export class BatchAnswers {
  private readonly batches = new Map<JsonValue, Batch>()
  private readonly maxBytes: number
  /** Total size in bytes of the answers that are stored for all incomplete batches. */
  private bytes = 0

  /**
   * `maxBytes` limits the total size of the stored answers. Above this limit, the answers of a batch are sent before the batch
   * is complete.
   */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /**
   * Starts to collect the answers to one batch. `ids` are the ids of the requests that were forwarded to the server. `own`
   * contains the edge's own answers to the requests that it did not forward. Returns the batch that can be sent now, or null.
   */
  expect(ids: readonly JsonValue[], own: readonly JsonObject[]): string | null {
    const answers = own.map((answer) => JSON.stringify(answer))
    if (this.batches.size + ids.length > maxWaiting) return answers.length > 0 ? joined(answers) : null
    const batch: Batch = { waiting: new Set(ids), answers, bytes: 0 }
    for (const id of batch.waiting) {
      this.release(id)
      this.batches.set(id, batch)
    }
    return this.takeWhole(batch)
  }

  /**
   * Handles an answer of the server with its JSON text. Returns false if its request is in none of the batches. Otherwise returns the batch that
   * can be sent to the client now, or null while the batch is incomplete.
   */
  take(message: JsonObject, text: string): string | null | false {
    const batch = this.batchOf(message)
    if (!batch) return false
    const bytes = Buffer.byteLength(text)
    batch.answers.push(text)
    batch.bytes += bytes
    this.bytes += bytes
    return this.forget(message.id ?? null)
  }

  /** Whether a message answers a request of a batch. */
  has(message: JsonObject): boolean {
    return this.batchOf(message) !== undefined
  }

  private batchOf({ method, id = null }: JsonObject): Batch | undefined {
    return method === undefined ? this.batches.get(id) : undefined
  }

  /**
   * Stops waiting for an answer, for example because its request was cancelled. Returns the batch that can be sent now, or
   * null.
   */
  forget(id: JsonValue): string | null {
    const batch = this.batches.get(id)
    if (!batch) return null
    this.batches.delete(id)
    batch.waiting.delete(id)
    return this.takeWhole(batch)
  }

  /**
   * Removes an id from an earlier batch that still waits for the answer with this id. A client may use an id again. The answer
   * then belongs to the later batch.
   */
  private release(id: JsonValue): void {
    const before = this.batches.get(id)
    before?.waiting.delete(id)
    if (before?.waiting.size === 0) this.bytes -= before.bytes
  }

  private takeWhole(batch: Batch): string | null {
    if (batch.answers.length === 0 || (batch.waiting.size > 0 && this.bytes <= this.maxBytes)) return null
    const { answers } = batch
    batch.answers = []
    this.bytes -= batch.bytes
    batch.bytes = 0
    return joined(answers)
  }
}

const joined = (answers: readonly string[]) => `[${answers.join()}]`
