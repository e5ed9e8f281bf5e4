/** Collects chunks in one buffer. An array of many small chunks would need much more memory than the bytes in them. */
export class GatheredBytes {
  private buffer = Buffer.alloc(0)
  private used = 0

  get length(): number {
    return this.used
  }

  add(chunk: Uint8Array): void {
    const needed = this.used + chunk.length
    if (needed > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(needed, this.buffer.length * 2))
      this.buffer.copy(larger, 0, 0, this.used)
      this.buffer = larger
    }
    this.buffer.set(chunk, this.used)
    this.used = needed
  }

  /** Returns all bytes and empties the buffer. */
  take(): Buffer {
    const all = this.buffer.subarray(0, this.used)
    this.buffer = Buffer.alloc(0)
    this.used = 0
    return all
  }
}
