/** Long work lets other requests run after this time. */
const turnMs = 10

/** Lets other requests run between the parts of long work. Each long work has its own. */
export class Pauses {
  private since = performance.now()

  /** Call it after each part. Usually it returns at once. */
  async between(): Promise<void> {
    if (performance.now() - this.since < turnMs) return
    await new Promise((resolve) => setImmediate(resolve))
    this.since = performance.now()
  }
}
