/** Number of times that a line is logged before lines are left out. */
const loggedEach = 100

/** Decides which repetitions of a line are logged: the first hundred, then the 128th, the 256th and each further power of two. */
export class LogLimit {
  private count = 0

  /** Counts the line. Returns how often it was counted if it is to be logged, otherwise null. */
  next(): number | null {
    this.count++
    return this.count <= loggedEach || Number.isInteger(Math.log2(this.count)) ? this.count : null
  }
}
