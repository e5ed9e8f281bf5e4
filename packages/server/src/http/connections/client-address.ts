import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6, SocketAddress } from 'node:net'

/**
 * The address of a request's client. Behind a proxy, this is the last entry of `X-Forwarded-For`, because clients can write
 * anything into the entries before it. If this entry is no address, such as `unknown`, the address is the proxy's.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const list = trustProxy ? headers['x-forwarded-for'] : undefined
  if (list === undefined) return peerAddress(socket)
  // Node joins several header lines with commas. Empty entries do not count, as in every list of HTTP.
  const forwarded = String(list)
    .split(',')
    .findLast((entry) => entry.trim() !== '')
  return readAddress(forwarded ?? '') ?? peerAddress(socket)
}

/** The addresses of connections. A connection has many requests, and its address never changes. */
const peers = new WeakMap<IncomingMessage['socket'], string>()

function peerAddress(socket: IncomingMessage['socket']): string {
  const known = peers.get(socket)
  if (known !== undefined) return known
  const peer = socket.remoteAddress ?? ''
  const address = readAddress(peer) ?? peer
  // A socket that was closed has no address any more.
  if (address !== '') peers.set(socket, address)
  return address
}

/**
 * Brackets with or without a port, and addresses with a port: IPv4, and IPv6 where the last group can only be a port. An address has at most eight
 * groups of at most four digits, and ends after an IPv4 address. `2001:db8::1:443` is an address without a port.
 */
const withPort = [
  /^\[([^\]]*)\](?::\d{1,5})?$/,
  /^([\d.]+):\d{1,5}$/,
  /^([\da-f:]+:[\d.]+\.\d+):\d{1,5}$/i,
  /^((?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i,
  /^([\da-f:]+):\d{5}$/i,
]

/**
 * Reads an address as proxies write it: with or without a port, brackets around IPv6, quotes and a zone. One address has one
 * text: IPv6 is in its canonical form, and an IPv4-mapped IPv6 address is the IPv4 address. Null if the text is no address.
 */
export function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const host = withPort.map((form) => form.exec(bare)?.[1]).find((found) => found !== undefined) ?? bare
  const [address = ''] = host.split('%')
  if (isIP(address) === 0) return null
  if (!isIPv6(address)) return host === address ? address : null
  const { address: canonical } = new SocketAddress({ address, family: 'ipv6' })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical
}
