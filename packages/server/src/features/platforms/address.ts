import { BlockList, isIP } from 'node:net'

// Never a platform, whatever is allowed: unspecified, link-local (where clouds serve credentials), multicast, reserved.
const forbidden = new BlockList()
forbidden.addSubnet('0.0.0.0', 8)
forbidden.addSubnet('169.254.0.0', 16)
forbidden.addSubnet('192.0.0.0', 24)
forbidden.addSubnet('224.0.0.0', 4)
forbidden.addSubnet('240.0.0.0', 4)
forbidden.addAddress('100.100.100.200')
forbidden.addAddress('::', 'ipv6')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addSubnet('ff00::', 8, 'ipv6')
forbidden.addSubnet('fd00:ec2::', 32, 'ipv6')
// These carry IPv4 addresses inside.
forbidden.addSubnet('64:ff9b::', 96, 'ipv6')
forbidden.addSubnet('64:ff9b:1::', 48, 'ipv6')
forbidden.addSubnet('2001::', 32, 'ipv6')
forbidden.addSubnet('2002::', 16, 'ipv6')

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
internal.addSubnet('fec0::', 10, 'ipv6')

/** Whether a connection to an IP address may be opened; an IPv4 address mapped into IPv6 counts as what it maps. */
export function mayConnectTo(address: string, privateAllowed: boolean): boolean {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return false
  const within = (list: BlockList) => list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  if (within(forbidden)) return false
  return privateAllowed || !(within(loopback) || within(internal))
}

/** Whether a URL's host names this machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))
}

export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

/** What is wrong with a platform's base URL, as the end of a sentence; names are looked at again once resolved. */
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
