const names = ['http_proxy', 'https_proxy', 'no_proxy'] as const

/**
 * Sends requests through the proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, in capitals or not, with `fetch` and with `node:http`.
 * Requests to this machine never go through a proxy, because they carry keys to an edge or a server on it. Returns what undoes it.
 */
export function useProxy(environment: NodeJS.ProcessEnv): () => void {
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name] || environment[name.toUpperCase()]
      return value ? [[name, value]] : []
    }),
  )
  if (!given.http_proxy && !given.https_proxy) return () => {}
  const here = ['localhost', '.localhost', '127.0.0.1', '[::1]']
  const settings = { ...given, no_proxy: [given.no_proxy, ...here].filter(Boolean).join(',') }
  // Not imported, because node:http loads `fetch`, which takes as long as the start of Node.
  return process.getBuiltinModule('node:http').setGlobalProxyFromEnv(settings)
}
