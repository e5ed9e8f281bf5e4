import type { JsonObject, JsonValue } from './json.ts'

/** A batch whose client waits for the answers. */
interface Batch {
  readonly waiting: Set<JsonValue>
  answers: JsonObject[]
  bytes: number
}

/** Maximum number of requests in waiting batches. Answers to further batches are sent as they arrive. */
const maxWaiting = 10_000

/**
 * Combines the answers to a batch into one batch again. The client may expect one answer to each batch. But a server on
 * standard input gets each message on its own line, because the SDK reads single messages only.
 */
export class BatchAnswers {
  private readonly batches = new Map<JsonValue, Batch>()
  private readonly maxBytes: number
  /** Total size in bytes of the stored answers of all batches. */
  private bytes = 0

  /**
   * `maxBytes` limits the stored answers of all batches. If an answer exceeds the limit, the stored answers of its batch are
   * sent early.
   */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /**
   * Starts to wait for the answers to `ids`. `answers` are answers of the batch that already exist. Returns what to send to
   * the client now, or null.
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

  /** If a client uses an id for a second request, the earlier batch stops waiting for an answer with this id. */
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
