type Reading = { readonly uri: string }

/**
 * The readings of a URI by a tool server: as sent, as a URL parser writes it (`FILE:///a/../b` as `file:///b`), and with its
 * percent codes decoded. A rule that stops one reading stops the call.
 */
export function uriReadings(uri: string): [Reading, ...Reading[]] {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  const readings = new Set([uri, parsed, decode(parsed), normalize(decode(parsed))])
  readings.delete(uri)
  return [{ uri }, ...[...readings].map((reading) => ({ uri: reading }))]
}

function normalize(uri: string): string {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  return decode(parsed)
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}
