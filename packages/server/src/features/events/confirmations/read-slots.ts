/** Limits how many reads run at the same time. Further reads wait, in their order. */
export class ReadSlots {
  private readonly atOnce: number
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    try {
      return await read()
    } finally {
      // The next read takes over the place of this one.
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
