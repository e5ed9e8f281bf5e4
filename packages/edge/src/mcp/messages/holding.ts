/** Counts the bytes that the edge keeps in memory for one client, and limits them. */
export class Holding {
  private held = 0
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Creates a counter for a part of the memory, with its own limit. It starts at 0 bytes. */
  hold(maxBytes = this.maxBytes): Hold {
    return new Hold(this, maxBytes)
  }

  /**
   * Changes the total by a number of bytes. Returns false if the total would exceed the limit; the total then stays
   * unchanged. Releasing never fails.
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

  /** Sets the size of the buffer in bytes. Returns false if there is no room for it. */
  resize(bytes: number): boolean {
    if (bytes > this.maxBytes || !this.holding.change(bytes - this.bytes)) return false
    this.bytes = bytes
    return true
  }
}
