import { useSyncExternalStore } from 'react'

// One timer for all times on the page. It runs only while one of them is shown.
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function listen(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const current = () => {
  if (timer === undefined) now = Date.now()
  return now
}

/** A text that depends on the time. The component renders again only when the text changes. */
export const useTextNow = <T extends string>(textAt: (now: number) => T): T =>
  useSyncExternalStore(listen, () => textAt(current()))

/** The time in milliseconds. The component renders again when the second changes. */
export const useNow = () => useSyncExternalStore(listen, current)
