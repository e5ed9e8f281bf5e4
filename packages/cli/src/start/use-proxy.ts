import { type Proxies, readProxies, setProxies } from '@mandate/edge/outgoing/proxies'

/**
 * Sends requests through the proxies of the environment (`readProxies`), with `fetch` and with the agents of `agentFor`. Returns what undoes it.
 * @throws Error that names a variable that is not the address of a proxy
 */
export function useProxy(environment: NodeJS.ProcessEnv): () => void {
  const proxies = readProxies(environment)
  if (!proxies) return () => {}
  setProxies(proxies)
  const undo = proxyFetch(proxies)
  return () => {
    undo()
    setProxies(undefined)
  }
}

interface Dispatcher {
  dispatch(options: { origin?: string | URL }, handler: unknown): boolean
}

/** The places where `fetch` finds its dispatcher. */
const dispatcherKeys = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

/** Node reads `NO_PROXY` in other ways for `fetch` than curl does, so `isDirect` decides for each request. */
function proxyFetch({ addresses, isDirect, refusalOf }: Proxies): () => void {
  const places = globalThis as unknown as Record<symbol, Dispatcher | undefined>
  const given = dispatcherKeys.map((key) => places[key])
  // Not imported, because node:http loads `fetch`, which takes as long as the start of Node.
  const { setGlobalProxyFromEnv } = process.getBuiltinModule('node:http')
  // Not the given dispatcher, because with NODE_USE_ENV_PROXY=1 it uses the proxies too.
  const withoutProxy = setGlobalProxyFromEnv({ ...addresses, no_proxy: '*' })
  const direct = dispatcherKeys.map((key) => places[key])
  withoutProxy()
  const undo = setGlobalProxyFromEnv(addresses)
  for (const [index, key] of dispatcherKeys.entries()) {
    const proxied = places[key]
    const before = direct[index]
    if (!proxied || !before) continue
    places[key] = new Proxy(proxied, {
      get(target, name) {
        if (name !== 'dispatch') return Reflect.get(target, name)
        return (options: { origin?: string | URL }, handler: unknown) => {
          const url = new URL(String(options.origin))
          const refusal = refusalOf(url)
          if (refusal) throw refusal
          return (isDirect(url) ? before : target).dispatch(options, handler)
        }
      },
    })
  }
  return () => {
    undo()
    for (const [index, key] of dispatcherKeys.entries()) if (given[index]) places[key] = given[index]
  }
}
