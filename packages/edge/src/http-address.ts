/** Says why a text is not the URL of an HTTP server, and how it was probably meant. Returns undefined if it is such a URL. */
export function httpAddressFault(text: string): string | undefined {
  if (isHttp(text)) return undefined
  const port = /^(?:https?:\/\/)?[^/]*:(\d+)(?:\/|$)/i.exec(text)?.[1]
  if (port !== undefined && Number(port) > 65_535) return 'must have a port from 1 to 65535'
  const meant = `${/^(?:localhost|127\.|\[::1\])/.test(text) ? 'http' : 'https'}://${text}`
  const suggestion = hostAndPort.test(text) && isHttp(meant) ? `; did you mean ${meant}?` : ''
  return `must be a URL beginning with https:// or http://${suggestion}`
}

const hostAndPort = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:))(?::\d+)?(?:\/\S*)?$/i

const isHttp = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/**
 * Returns why a request got no answer: the code of Node's error, or the status with which a proxy refused to connect. The errors of `fetch` have
 * the code in one of their causes. The SDK has the same function, because the two packages do not depend on each other.
 */
export function connectionFault(error: unknown): string {
  const chain: (Error & { code?: unknown; statusCode?: unknown })[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  const refused = chain.find(({ code }) => code === 'ERR_PROXY_TUNNEL')?.statusCode
  const status = refused ?? chain.map(({ message }) => /Proxy response \((\d+)\)/.exec(message)?.[1]).find(Boolean)
  if (status !== undefined) return `the proxy answered ${status}`
  const code = chain.map((each) => each.code).find((each) => typeof each === 'string')
  return code ?? chain.at(-1)?.message ?? String(error)
}

/** Returns what to do if a proxy answered with this status, and did not pass the request on to the server. */
export const proxyHint = (status: number) =>
  status === 401 || status === 407
    ? 'the proxy needs a user and a password that it knows: HTTPS_PROXY=http://user:password@host:port, and HTTP_PROXY in the same way'
    : 'the proxy does not connect to this address: ask who runs the proxy, or add the host to NO_PROXY'

/**
 * Says what to do if a connection failed because a proxy refused it, because the two sides speak other protocols, or because a certificate is not
 * trusted. @param message contains what `connectionFault` returned
 */
export function protocolHint(message: string): string | undefined {
  const [, proxyStatus] = /the proxy answered (\d+)/.exec(message) ?? []
  if (proxyStatus !== undefined) return proxyHint(Number(proxyStatus))
  if (message.includes('is a SOCKS proxy'))
    return 'a proxy is at an address such as http://proxy.example.com:3128; NO_PROXY lists the hosts to reach without a proxy'
  if (/EPROTO|WRONG_VERSION_NUMBER/.test(message))
    return 'the server does not use TLS at this port: use an address with http://, or another port'
  if (/_ALERT_/.test(message))
    return 'the server refused the TLS connection: it may not serve this host name, or it needs a client certificate or another version of TLS'
  if (/HPE_(?!HEADER_OVERFLOW)|Parse Error/.test(message))
    return 'the server does not answer in HTTP at this port: use an address with https://, or another port'
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(message))
    return 'the certificate of the server is not trusted; NODE_EXTRA_CA_CERTS=FILE adds the certificate of its issuer'
  return undefined
}
