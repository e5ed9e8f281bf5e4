/** How much work runs on the event loop before other events get their turn. 1 is the longest value that is inspected on the event loop. */
const mostInTurn = 4

/** Spreads short inspections over turns of the event loop. A batch of short values would block it as a long value does. */
export class LoopShare {
  private used = 0
  private turn: Promise<void> | null = null

  /** Returns false if the work must wait for the next turn. The first work of a turn never waits. */
  take(work: number): boolean {
    if (this.used > 0 && this.used + work > mostInTurn) return false
    this.used += work
    void this.next()
    return true
  }

  /** Resolves at the next turn of the event loop. */
  next(): Promise<void> {
    this.turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.used = 0
        this.turn = null
        resolve()
      })
    })
    return this.turn
  }
}
