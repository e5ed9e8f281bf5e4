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
 * Says what to do if a connection failed because the two sides speak other protocols, or because a certificate is not trusted.
 * @param message contains the code of Node's error
 */
export function protocolHint(message: string): string | undefined {
  if (/EPROTO|WRONG_VERSION_NUMBER/.test(message))
    return 'the server does not use TLS at this port: use an address with http://, or another port'
  if (/HPE_|Parse Error/.test(message))
    return 'the server does not answer in HTTP at this port: use an address with https://, or another port'
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(message))
    return 'the certificate of the server is not trusted; NODE_EXTRA_CA_CERTS=FILE adds the certificate of its issuer'
  return undefined
}
