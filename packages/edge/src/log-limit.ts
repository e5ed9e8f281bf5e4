/** Number of times that a line is logged before lines are left out. */
const loggedEach = 100

/** Limits how often a line is logged: the first hundred times, and after them only the 128th time, the 256th and so on. */
export class LogLimit {
  private count = 0

  /** Counts the line. Returns how often it was counted if it is to be logged, otherwise null. */
  next(): number | null {
    this.count++
    return this.count <= loggedEach || Number.isInteger(Math.log2(this.count)) ? this.count : null
  }
}
