const listeners = new Set<() => void>()
let ended: PromiseWithResolvers<void> | undefined

/** Whether the session has ended while a page is open, for `useSyncExternalStore`. */
export const sessionEnd = {
  read: () => ended !== undefined,
  listen(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/**
 * Waits until the person has signed in again. Then the calls that need the session continue, so nothing that the person typed is lost.
 * Fails at once if no page is open that can ask the person.
 */
export function untilSignedInAgain(error: Error): Promise<void> {
  if (listeners.size === 0) return Promise.reject(error)
  ended ??= Promise.withResolvers()
  change()
  return ended.promise
}

/** Lets the calls continue that wait for a session. */
export function continueCalls(): void {
  ended?.resolve()
  ended = undefined
  change()
}

function change(): void {
  for (const listener of listeners) listener()
}
