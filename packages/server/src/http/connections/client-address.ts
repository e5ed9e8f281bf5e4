import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6, SocketAddress } from 'node:net'

/**
 * The address of a request's client. Behind a proxy, this is the last entry of `X-Forwarded-For`, because clients can write
 * anything into the entries before it. If this entry is no address, such as `unknown`, the address is the proxy's.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const peer = socket.remoteAddress ?? ''
  // Node joins several header lines with commas. Empty entries do not count, as in every list of HTTP.
  const entries = trustProxy ? String(headers['x-forwarded-for'] ?? '').split(',') : []
  const forwarded = entries.findLast((entry) => entry.trim() !== '') ?? ''
  return readAddress(forwarded) ?? readAddress(peer) ?? peer
}

/**
 * Reads an address as proxies write it: with or without a port, brackets around IPv6, quotes and a zone. One address has one
 * text: IPv6 is in its canonical form, and an IPv4-mapped IPv6 address is the IPv4 address. Null if the text is no address.
 */
export function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const host = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(bare)?.[1] ?? bare
  const [address = ''] = host.split('%')
  if (isIP(address) === 0) return null
  if (!isIPv6(address)) return host === address ? address : null
  const { address: canonical } = new SocketAddress({ address, family: 'ipv6' })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical
}
