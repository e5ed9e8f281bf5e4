import type { OperationId } from '@mandate/sdk'

/** Events that arrive within this time are read together. */
const shortestMs = 200
/** While events do not stop, the time between two reads grows to this. A busy fleet then costs the reader few requests. */
const longestMs = 2_000

/** Gathers the reads that events make stale, and starts them together. A single event is read soon, a stream of events seldom. */
export class GatheredReads {
  private readonly start: (operations: readonly OperationId[]) => void
  private operations = new Set<OperationId>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private waitMs = shortestMs

  constructor(start: (operations: readonly OperationId[]) => void) {
    this.start = start
  }

  add(operations: readonly OperationId[]): void {
    if (operations.length === 0) return
    for (const operation of operations) this.operations.add(operation)
    this.timer ??= setTimeout(() => this.read(), this.waitMs)
  }

  private read(): void {
    this.timer = undefined
    if (this.operations.size === 0) {
      this.waitMs = shortestMs
      return
    }
    const operations = [...this.operations]
    // `start` may put off some of them, and adds them again.
    this.operations = new Set()
    this.start(operations)
    this.waitMs = Math.min(this.waitMs * 2, longestMs)
    // After this time without an event, the next event is read soon again.
    this.timer = setTimeout(() => this.read(), this.waitMs)
  }
}
