import { vi } from 'vitest'

const { waitFor, waitUntil } = vi
type Options = Parameters<typeof waitFor>[1]

// A busy machine may be many times slower than the one on which a test was written. A wait ends with its condition, so a long limit costs a
// passing test nothing. `expect.poll` has the same limit in vitest.config.ts.
const limited = (options: Options = {}) => (typeof options === 'number' ? options : { timeout: 60_000, ...options })

function waitForAMinute(...[callback, options]: Parameters<typeof waitFor>) {
  return waitFor(callback, limited(options))
}

function waitUntilAMinute(...[callback, options]: Parameters<typeof waitUntil>) {
  return waitUntil(callback, limited(options))
}

// Files of one worker share the modules, so this file may run several times for one `vi`.
if (waitFor.name !== waitForAMinute.name)
  Object.assign(vi, { waitFor: waitForAMinute as typeof waitFor, waitUntil: waitUntilAMinute as typeof waitUntil })
