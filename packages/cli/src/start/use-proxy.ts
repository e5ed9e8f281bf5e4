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

interface Options {
  readonly origin?: string | URL
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Dispatcher {
  dispatch(options: Options, handler: unknown): boolean
}

/** The places where `fetch` finds its dispatcher. */
const dispatcherKeys = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

/**
 * Asks a proxy to send a request of HTTP, as curl does. Node would open a tunnel, and many proxies open tunnels to the port 443 only.
 */
function askingProxy(
  { path, headers, ...options }: Options,
  target: URL,
  { origin, username, password }: URL,
): Options {
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const given = { ...headers, host: target.host }
  const own =
    user === ':' ? given : { ...given, 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }
  return { ...options, origin, path: `${target.origin}${path}`, headers: own }
}

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
        return (options: Options, handler: unknown) => {
          const url = new URL(String(options.origin))
          const refusal = refusalOf(url)
          if (refusal) throw refusal
          if (isDirect(url)) return before.dispatch(options, handler)
          const plain = url.protocol === 'http:' ? addresses.http_proxy : undefined
          if (plain === undefined) return target.dispatch(options, handler)
          return before.dispatch(askingProxy(options, url, new URL(plain)), handler)
        }
      },
    })
  }
  return () => {
    undo()
    for (const [index, key] of dispatcherKeys.entries()) if (given[index]) places[key] = given[index]
  }
}
