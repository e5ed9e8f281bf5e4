import { useEffect, useSyncExternalStore } from 'react'

let shown: string | undefined
const listeners = new Set<() => void>()

function show(name: string | undefined): void {
  shown = name
  for (const listener of listeners) listener()
}

/** Gives the open page its name, for the tab of the browser and for the breadcrumb. */
export function useOwnName(name: string): void {
  useEffect(() => {
    document.title = `${name} · Mandate`
    show(name)
    return () => show(undefined)
  }, [name])
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The name of the open page. Undefined until the page knows it. */
export const usePageName = () => useSyncExternalStore(subscribe, () => shown)
