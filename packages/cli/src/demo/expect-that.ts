import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../failure.ts'

const pollMs = 100
const limitMs = 60_000

/** @throws Failure with the expectation, if it is not true */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Failure(`not true, but expected: ${what}`)
}

/** Calls `look` until it returns a value, for changes that need a heartbeat. @throws Failure after one minute */
export async function eventually<T>(what: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await pause(pollMs, undefined, { signal })) {
    const seen = await look()
    if (seen !== undefined) return seen
  }
  throw new Failure(`not true within ${limitMs / 1000} seconds, but expected: ${what}`)
}
