import { Failure } from '../invocation/failure.ts'

/** Collects the failures of several files, so that the failure of one does not hide those of the others. */
export class AllFailures {
  private readonly failures: Failure[] = []

  get all(): readonly Failure[] {
    return this.failures
  }

  /** Calls `work` for each of them, one after the other. Returns the results of those that did not fail. */
  async of<T, R>(all: Iterable<T>, work: (one: T) => Promise<R>): Promise<R[]> {
    const results: R[] = []
    for (const one of all) {
      try {
        results.push(await work(one))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        this.failures.push(error)
      }
    }
    return results
  }

  add(messages: readonly string[]): void {
    this.failures.push(...messages.map((message) => new Failure(message)))
  }

  /** @throws Failure with all messages, and with the hints, each once */
  throwAny(hint?: string): void {
    const [first] = this.failures
    if (!first) return
    const hints = new Set(this.failures.flatMap((one) => one.hint ?? []))
    throw new Failure(this.failures.map(({ message }) => message).join('\n'), {
      hint: hint ?? ([...hints].join('\n  ') || undefined),
      exitCode: first.exitCode,
    })
  }
}
