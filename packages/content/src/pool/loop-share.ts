import { FairQueue } from './fair-queue.ts'

/**
 * After how much work on the event loop other events get their turn. 1 is the longest value that is inspected on the event loop, and a turn ends
 * with the work that reaches this.
 */
const enoughInTurn = 3

interface Waiting {
  share: number
  run(): void
}

/**
 * Spreads short inspections over turns of the event loop, because a batch of short values would block it as a long value does. Work that waits
 * is in a queue that is fair to its owners.
 */
export class LoopShare {
  private used = 0
  private isTurnPlanned = false
  private readonly waiting = new FairQueue<Waiting>()

  /** Runs work now, or in a later turn if this turn is full or if other work waits. `share` is how long the work takes, at most 1. */
  run<T>(share: number, owner: string, work: () => T): T | Promise<T> {
    this.planTurn()
    if (this.waiting.size === 0 && this.used < enoughInTurn) {
      this.used += share
      return work()
    }
    return new Promise((resolve) => {
      this.waiting.push(owner, { share, run: () => resolve(new Promise((done) => done(work()))) })
    })
  }

  private planTurn(): void {
    if (this.isTurnPlanned) return
    this.isTurnPlanned = true
    setImmediate(() => {
      this.isTurnPlanned = false
      this.used = 0
      while (this.used < enoughInTurn) {
        const next = this.waiting.shift()
        if (next === undefined) return
        this.used += next.share
        next.run()
      }
      this.planTurn()
    })
  }
}
