import { vi } from 'vitest'

const { waitFor } = vi

// A busy machine may be many times slower than the one on which a test was written. A wait ends with its condition, so a long limit costs a
// passing test nothing. `expect.poll` has the same limit in vitest.config.ts.
function waitForAMinute(...[callback, options = {}]: Parameters<typeof waitFor>) {
  return waitFor(callback, typeof options === 'number' ? options : { timeout: 60_000, ...options })
}

// Files of one worker share the modules, so this file may run several times for one `vi`.
if (waitFor.name !== waitForAMinute.name) vi.waitFor = waitForAMinute as typeof waitFor
