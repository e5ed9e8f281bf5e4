/** Schemes whose pages have no origin of their own, because a browser runs them in the page that contains them or gives them the origin `null`. */
const noOrigin: ReadonlySet<string> = new Set(['about:', 'blob:', 'data:', 'javascript:'])
/** Schemes of connections that pages open. Their `Origin` is that of the page. */
const pageScheme: ReadonlyMap<string, string> = new Map([
  ['ws:', 'http:'],
  ['wss:', 'https:'],
])

export const originsWanted =
  'must be origins such as https://console.example.com or chrome-extension://<id> separated by commas, without a path'

/**
 * Says why no browser, extension or desktop shell sends a text in the header `Origin`, and which text it sends. Returns undefined if one can send
 * the text.
 */
export function originFault(text: string): string | undefined {
  if (text.includes('*')) return `${originsWanted}; wildcards match no origin, so list each origin`
  const sent = sentOrigin(text)
  if (sent === text) return undefined
  return sent === null ? originsWanted : `${originsWanted}; did you mean ${sent}?`
}

/** Returns the origin that is sent for pages at an address. Null if no origin is sent. */
function sentOrigin(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || noOrigin.has(url.protocol)) return null
  const { host, origin, protocol } = url
  const scheme = pageScheme.get(protocol)
  if (scheme !== undefined) return new URL(`${scheme}//${host}`).origin
  if (/^https?:$/.test(protocol)) return origin
  // Electron sends `file://`.
  if (protocol === 'file:') return 'file://'
  // Browsers write origins of all other schemes as scheme and host.
  if (protocol === 'ftp:' || !/^[A-Za-z0-9._:[\]-]+$/.test(host)) return null
  // The ids of extensions are in lower case in Chrome and Firefox.
  return `${protocol}//${/^(?:chrome|moz)-extension:$/.test(protocol) ? host.toLowerCase() : host}`
}
