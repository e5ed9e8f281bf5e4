import type { JsonObject, JsonValue } from './json.ts'

/** A JSON-RPC batch whose client waits for the answers to its requests. */
interface Batch {
  readonly waiting: Set<JsonValue>
  answers: JsonObject[]
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
   * `maxBytes` limits the total size of the stored answers. If an answer exceeds the limit, the stored answers of its batch are
   * sent early.
   */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /**
   * Starts to wait for the server's answers to the requests with these ids, which belong to one batch. `answers` contains the
   * edge's own answers to requests of the batch that it stopped. Returns what to send to the client now, or null.
   */
  expect(ids: readonly JsonValue[], answers: JsonObject[]): readonly JsonObject[] | null {
    if (this.batches.size + ids.length > maxWaiting) return answers.length > 0 ? answers : null
    const batch: Batch = { waiting: new Set(ids), answers, bytes: 0 }
    for (const id of batch.waiting) {
      this.release(id)
      this.batches.set(id, batch)
    }
    return this.takeWhole(batch)
  }

  /**
   * Handles an answer of the server. Returns false if the answer belongs to no batch. Otherwise returns what to send to the
   * client now, or null.
   */
  take(message: JsonObject, bytes: number): readonly JsonObject[] | null | false {
    const batch = message.method === undefined && this.batches.get(message.id ?? null)
    if (!batch) return false
    batch.answers.push(message)
    batch.bytes += bytes
    this.bytes += bytes
    return this.forget(message.id ?? null)
  }

  /** Stops waiting for an answer, for example because its request was cancelled. Returns what to send to the client now, or null. */
  forget(id: JsonValue): readonly JsonObject[] | null {
    const batch = this.batches.get(id)
    if (!batch) return null
    this.batches.delete(id)
    batch.waiting.delete(id)
    return this.takeWhole(batch)
  }

  /**
   * Removes an id from the earlier batch that waits for it. A client may use an id again; then the answer belongs to the later
   * batch.
   */
  private release(id: JsonValue): void {
    const before = this.batches.get(id)
    before?.waiting.delete(id)
    if (before?.waiting.size === 0) this.bytes -= before.bytes
  }

  private takeWhole(batch: Batch): readonly JsonObject[] | null {
    if (batch.answers.length === 0 || (batch.waiting.size > 0 && this.bytes <= this.maxBytes)) return null
    const { answers } = batch
    batch.answers = []
    this.bytes -= batch.bytes
    batch.bytes = 0
    return answers
  }
}
