/** Counts the bytes that the edge keeps in memory for one client, and limits them. */
export class MemoryBudget {
  private usedBytes = 0
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Creates a counter for the bytes of one buffer, with its own limit. These bytes also count towards the client's total. */
  newReservation(maxBytes = this.maxBytes): MemoryReservation {
    return new MemoryReservation(this, maxBytes)
  }

  /**
   * Adds a number of bytes to the total. A negative number releases bytes, which never fails. Returns false if the total would
   * exceed the limit; the total then stays unchanged.
   */
  change(bytes: number): boolean {
    if (bytes > 0 && this.usedBytes + bytes > this.maxBytes) return false
    this.usedBytes += bytes
    return true
  }
}

/** Counts the bytes of one buffer. */
export class MemoryReservation {
  private bytes = 0
  private readonly budget: MemoryBudget
  private readonly maxBytes: number

  constructor(budget: MemoryBudget, maxBytes: number) {
    this.budget = budget
    this.maxBytes = maxBytes
  }

  /**
   * Sets the size of the buffer in bytes. Returns false if the size exceeds the limit of the buffer or of the client; the size
   * then stays unchanged.
   */
  resize(bytes: number): boolean {
    if (bytes > this.maxBytes || !this.budget.change(bytes - this.bytes)) return false
    this.bytes = bytes
    return true
  }
}
