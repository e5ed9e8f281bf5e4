/** Counts what is held in memory for one client, in bytes, and bounds it. */
export class Holding {
  private held = 0
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** A part of it, holding nothing yet and never more than `maxBytes`. */
  hold(maxBytes = this.maxBytes): Hold {
    return new Hold(this, maxBytes)
  }

  /** False where it would come to hold too much; it then holds what it did. Giving back is never refused. */
  change(bytes: number): boolean {
    if (bytes > 0 && this.held + bytes > this.maxBytes) return false
    this.held += bytes
    return true
  }
}

/** What one buffer holds. */
export class Hold {
  private bytes = 0
  private readonly holding: Holding
  private readonly maxBytes: number

  constructor(holding: Holding, maxBytes: number) {
    this.holding = holding
    this.maxBytes = maxBytes
  }

  /** Says how many bytes the buffer holds from now on; false where there is no room for them. */
  resize(bytes: number): boolean {
    if (bytes > this.maxBytes || !this.holding.change(bytes - this.bytes)) return false
    this.bytes = bytes
    return true
  }
}
