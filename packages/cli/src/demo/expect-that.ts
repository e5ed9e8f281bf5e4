import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../failure.ts'

const pollMs = 100
const limitMs = 60_000

/** @throws Failure that says what does not hold */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Failure(`it should be that ${what}, and it is not`)
}

/** Looks until there is something to see, for what a heartbeat brings. @throws Failure when it does not come within a minute */
export async function eventually<T>(what: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await pause(pollMs, undefined, { signal })) {
    const seen = await look()
    if (seen !== undefined) return seen
  }
  throw new Failure(`it should be that ${what}, and it is not after ${limitMs / 1000} seconds`)
}
