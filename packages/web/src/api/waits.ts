/** Why calls wait: the server limits requests. `isOver` is true if the call has failed, so that the person must try again. */
export interface Wait {
  /** Unix time in ms. */
  until: number
  isOver: boolean
}

/** A shorter wait is not worth a message. */
const shortestMs = 1_000
const listeners = new Set<() => void>()
let wait: Wait | undefined

/** How long the server wants calls to wait, for `useSyncExternalStore`. */
export const waits = {
  read: () => wait,
  listen(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Shows that a call waits. Of several waits, the longest is shown. */
export function showWait(waitMs: number, isOver: boolean): void {
  const until = Date.now() + waitMs
  if (waitMs < shortestMs || (wait && wait.until >= until && wait.until > Date.now())) return
  wait = { until, isOver }
  for (const listener of listeners) listener()
}
