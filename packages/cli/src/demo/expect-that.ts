import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../invocation/failure.ts'

const pollMs = 100
const limitMs = 60_000

/** @throws Failure with the text `what` if `holds` is false */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Failure(`check failed: ${what}`)
}

/**
 * Calls `look` until it returns a value. Use it for a change that needs the edge's next heartbeat (regular report).
 * @throws Failure after one minute
 */
export async function eventually<T>(what: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await pause(pollMs, undefined, { signal })) {
    const seen = await look()
    if (seen !== undefined) return seen
  }
  throw new Failure(`check failed for ${limitMs / 1000} seconds: ${what}`)
}
