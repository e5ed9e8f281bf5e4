import { decodePercentCodes } from './percent-codes.ts'

type Reading = { readonly uri: string }

/**
 * Returns the different ways in which a tool server may read a URI: as sent, as a URL parser normalizes it (`FILE:///a/../b`
 * becomes `file:///b`), and with percent codes decoded. The call is stopped if a rule stops one of these URIs.
 */
export function uriReadings(uri: string): [Reading, ...Reading[]] {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  const readings = new Set([uri, parsed, decodePercentCodes(parsed), normalize(decodePercentCodes(parsed))])
  readings.delete(uri)
  return [{ uri }, ...[...readings].map((reading) => ({ uri: reading }))]
}

function normalize(uri: string): string {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri
  return decodePercentCodes(parsed)
}
