import { BlockList, isIP } from 'node:net'

// An IPv4 address is public unless it is listed here. An IPv6 address is public if it is in 2000::/3 and not listed here. Sources:
// the IANA registries of special-purpose addresses, and the addresses at which clouds serve credentials.

/** These addresses are always refused, even if private addresses are allowed, because no organization runs a platform there. */
const forbidden = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8], // this network
  ['100.100.100.200', 32], // metadata of Alibaba Cloud
  ['168.63.129.16', 32], // Azure's own services
  ['169.254.0.0', 16], // link-local, and metadata of most clouds
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const) {
  forbidden.addSubnet(network, prefix)
}
for (const [network, prefix] of [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which carries an IPv4 address
  ['3fff::', 20], // documentation
  ['fd00:c1::', 32], // metadata of Oracle Cloud
  ['fd00:ec2::', 32], // metadata of Amazon
  ['fd20:ce::', 32], // metadata of Google Cloud
] as const) {
  forbidden.addSubnet(network, prefix, 'ipv6')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

const internal = new BlockList()
internal.addSubnet('10.0.0.0', 8)
internal.addSubnet('100.64.0.0', 10)
internal.addSubnet('172.16.0.0', 12)
internal.addSubnet('192.168.0.0', 16)
internal.addSubnet('198.18.0.0', 15)
internal.addSubnet('fc00::', 7, 'ipv6')

const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/**
 * Returns whether a connection to an IP address may be opened. Public unicast addresses are allowed; private and loopback addresses
 * only with `privateAllowed`. An IPv4-mapped IPv6 address counts as its IPv4 address. Other forms that contain an IPv4 address
 * (compatible, translated, NAT64, 6to4, Teredo) are refused.
 */
export function mayConnectTo(address: string, privateAllowed: boolean): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  const plain = mappedBy(address) ?? address
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
  if (forbidden.check(plain, family)) return false
  if (loopback.check(plain, family) || internal.check(plain, family)) return privateAllowed
  return family === 'ipv4' || global6.check(plain, family)
}

/** Returns the IPv4 address in an IPv4-mapped IPv6 address (`::ffff:0:0/96`). */
function mappedBy(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined
  const canonical = new URL(`http://[${address}]`).hostname
  const match = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(canonical)
  if (!match) return undefined
  const [high, low] = [Number.parseInt(match[1] as string, 16), Number.parseInt(match[2] as string, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** True if the host of a URL is a loopback address or `localhost`. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))
}

export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

/** Returns what is wrong with a platform's base URL, as the end of a sentence. Host names are checked again when they are resolved. */
export function addressFault(text: string, privateAllowed: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  const host = hostOf(url)
  const plain = url.protocol === 'http:' && privateAllowed && isLoopback(host)
  if (url.protocol !== 'https:' && !plain) return 'must begin with https://'
  if (url.username || url.password || url.search || url.hash) return 'must have no credentials, query or fragment'
  const refused = isIP(host) ? !mayConnectTo(host, privateAllowed) : isLoopback(host) && !privateAllowed
  return refused ? 'must not be a private, loopback or link-local address' : undefined
}
