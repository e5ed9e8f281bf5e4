/** Counts the bytes that the edge keeps in memory for one client, and limits them. */
export class Holding {
  private held = 0
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Creates a counter for the bytes of one buffer, with its own limit. These bytes also count towards the client's total. */
  hold(maxBytes = this.maxBytes): Hold {
    return new Hold(this, maxBytes)
  }

  /**
   * Adds a number of bytes to the total. A negative number releases bytes, which never fails. Returns false if the total would
   * exceed the limit; the total then stays unchanged.
   */
  change(bytes: number): boolean {
    if (bytes > 0 && this.held + bytes > this.maxBytes) return false
    this.held += bytes
    return true
  }
}

/** Counts the bytes of one buffer. */
export class Hold {
  private bytes = 0
  private readonly holding: Holding
  private readonly maxBytes: number

  constructor(holding: Holding, maxBytes: number) {
    this.holding = holding
    this.maxBytes = maxBytes
  }

  /**
   * Sets the size of the buffer in bytes. Returns false if the size exceeds the limit of the buffer or of the client; the size
   * then stays unchanged.
   */
  resize(bytes: number): boolean {
    if (bytes > this.maxBytes || !this.holding.change(bytes - this.bytes)) return false
    this.bytes = bytes
    return true
  }
}
