import { basePath } from '../../api/server-url.ts'

type Load = () => Promise<unknown>

interface LazyPage {
  /** Loads the code of the page. Undefined after the code was loaded. */
  preload?: (() => Promise<unknown>) | undefined
}
interface Routes {
  [id: string]: { options: { component?: unknown } }
}

const retryMs = 1_000
/** While the server is away, the wait doubles up to this time. Every open tab of every person asks. */
const mostRetryMs = 20_000
/** The code of the other pages loads when the first page is likely to be complete. */
const quietMs = 5_000

const lazyPages = (routes: Routes): LazyPage[] =>
  Object.values(routes).flatMap(({ options }) => {
    const page = options.component as LazyPage | undefined
    return page?.preload ? [page] : []
  })

/**
 * Lets a page wait for its code while the server is away. Otherwise the router loads the whole dashboard again, and the browser shows its
 * own error page.
 */
export function waitForCode(routes: Routes): void {
  for (const page of lazyPages(routes)) {
    const load = page.preload
    page.preload = async () => {
      for (let waitMs = retryMs; ; waitMs = Math.min(waitMs * 2, mostRetryMs)) {
        await load?.()
        // The code is loaded, or a newer version of the server has other files. Then the router loads the new dashboard.
        if (page.preload === undefined || (await isReachable())) return
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
  }
}

/**
 * Loads the code of `dialogs` and of all pages while the browser has nothing else to do, so that they open at once, also while the server is
 * away. Code that cannot be loaded now is loaded when it is needed.
 */
export function loadAllPages(routes: Routes, dialogs: readonly Load[], signal: AbortSignal): void {
  const loads = [
    ...dialogs,
    ...lazyPages(routes).map(
      (page): Load =>
        async () =>
          page.preload?.(),
    ),
  ]
  const loadNext = async () => {
    if (signal.aborted) return
    await loads
      .shift()?.()
      .catch(() => {})
    if (loads.length > 0) requestIdleCallback(loadNext)
  }
  const timer = setTimeout(loadNext, quietMs)
  signal.addEventListener('abort', () => clearTimeout(timer))
}

/** A proxy in front of the server answers 502 while the server is away. */
const isReachable = () =>
  fetch(`${basePath}/`, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
