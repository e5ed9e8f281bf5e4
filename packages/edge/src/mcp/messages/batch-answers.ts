import type { JsonObject, JsonValue } from './json.ts'

/** What a client waits for in one batch. */
interface Batch {
  readonly waiting: Set<JsonValue>
  answers: JsonObject[]
  bytes: number
}

/** Requests of batches that are waited for at once; the answers to those of further batches go back as they come. */
const maxWaiting = 10_000

/**
 * Puts the answers to a batch together again: a server on standard input is sent its messages one by one, since the SDK takes
 * one message a line, and the revision that has batches lets a client expect one answer to each.
 */
export class BatchAnswers {
  private readonly batches = new Map<JsonValue, Batch>()
  private readonly maxBytes: number
  /** Of the answers of all batches. */
  private bytes = 0

  /** Where the answers of all batches take more than `maxBytes`, those of the batch that got the last one go back early. */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Waits for the answers to `ids`, beside those that are there. What to send the client now, if anything. */
  expect(ids: readonly JsonValue[], answers: JsonObject[]): readonly JsonObject[] | null {
    if (this.batches.size + ids.length > maxWaiting) return answers.length > 0 ? answers : null
    const batch: Batch = { waiting: new Set(ids), answers, bytes: 0 }
    for (const id of batch.waiting) {
      this.release(id)
      this.batches.set(id, batch)
    }
    return this.takeWhole(batch)
  }

  /** Takes an answer of the server's: false where it belongs to no batch, else what to send now, null for nothing yet. */
  take(message: JsonObject, bytes: number): readonly JsonObject[] | null | false {
    const batch = message.method === undefined && this.batches.get(message.id ?? null)
    if (!batch) return false
    batch.answers.push(message)
    batch.bytes += bytes
    this.bytes += bytes
    return this.forget(message.id ?? null)
  }

  /** Waits no longer for an answer, as to a request that was cancelled. What to send the client now, if anything. */
  forget(id: JsonValue): readonly JsonObject[] | null {
    const batch = this.batches.get(id)
    if (!batch) return null
    this.batches.delete(id)
    batch.waiting.delete(id)
    return this.takeWhole(batch)
  }

  /** A client that uses an id again gives up the batch that waits for no other. */
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
