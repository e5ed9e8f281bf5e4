import { describe, expect, it } from 'vitest'
import { addressFault, mayConnectTo } from './address.ts'

describe('which addresses a platform may have', () => {
  it.each(['140.82.112.5', '8.8.8.8', '2606:50c0:8000::153'])('%s may be connected to', (address) => {
    expect(mayConnectTo(address, false)).toBe(true)
  })

  it.each(['127.0.0.1', '127.8.9.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'])(
    '%s may be connected to only where private platforms are allowed',
    (address) => {
      for (const each of [address, `::ffff:${address}`]) {
        expect(mayConnectTo(each, false)).toBe(false)
        expect(mayConnectTo(each, true)).toBe(true)
      }
    },
  )

  it.each(['::1', 'fc00::1', 'fd12:3456::1'])(
    '%s may be connected to only where private platforms are allowed',
    (address) => {
      expect(mayConnectTo(address, false)).toBe(false)
      expect(mayConnectTo(address, true)).toBe(true)
    },
  )

  const never: Record<string, string[]> = {
    'unspecified and this network': ['0.0.0.0', '0.1.2.3', '::', '0:0:0:0:0:0:0:0'],
    'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    'metadata of clouds': ['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'],
    'metadata of clouds, in IPv6': ['fd20:ce::254', 'fd00:c1::a9fe:a9fe'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    'reserved and broadcast': ['240.0.0.1', '255.255.255.255'],
    documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    'mapped IPv4': ['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::ffff:168.63.129.16', '::ffff:0.0.0.0'],
    'compatible IPv4': ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::8.8.8.8', '0:0:0:0:0:0:127.0.0.1'],
    'translated IPv4': ['::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:8.8.8.8'],
    NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::1'],
    '6to4': ['2002:7f00:1::1', '2002:a9fe:a9fe::1', '192.88.99.1'],
    Teredo: ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001::1'],
    'benchmarking and other assignments': ['2001:2::1', '2001:10::1', '2001:20::1', '100::1', '5f00::1'],
    'site-local and unassigned': ['fec0::1', '4000::1', '8000::1', 'e000::1', '1::', '::2'],
    'no address': ['no address', '', '127.1', '0x7f000001', '1.2.3.4.5', '256.1.1.1'],
  }
  it.each(Object.entries(never))('never allowed: %s', (_class, addresses) => {
    for (const address of addresses) {
      expect(mayConnectTo(address, false), address).toBe(false)
      expect(mayConnectTo(address, true), address).toBe(false)
    }
  })

  it('the first and last addresses of each range are classified correctly', () => {
    const yes = [
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '168.63.129.15',
    ]
    const also = [
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
    ]
    for (const address of [...yes, ...also, '2000::1', '2001:200::1', '2003::1', '2a00::1', '3ffe::1']) {
      expect(mayConnectTo(address, false), address).toBe(true)
    }
    const no = [
      '10.0.0.0',
      '10.255.255.255',
      '100.64.0.0',
      '100.127.255.255',
      '198.18.0.0',
      '198.19.255.255',
      'fdff::1',
    ]
    for (const address of no) expect(mayConnectTo(address, false), address).toBe(false)
  })

  it.each(['https://github.example.com/api/v3', 'https://api.github.com', 'https://github.example.com:8443/'])(
    '%s may be a base URL',
    (url) => {
      expect(addressFault(url, false)).toBeUndefined()
    },
  )

  it.each([
    ['nonsense', 'must be a URL'],
    ['http://github.example.com', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['http://127.0.0.1', 'must begin with https://'],
    ['https://user:word@github.example.com', 'must have no credentials, query or fragment'],
    ['https://github.example.com/?a=b', 'must have no credentials, query or fragment'],
    ['https://github.example.com/#a', 'must have no credentials, query or fragment'],
    ['https://127.0.0.1', 'must not be a private, loopback or link-local address'],
    ['https://2130706433', 'must not be a private, loopback or link-local address'],
    ['https://0x7f.1', 'must not be a private, loopback or link-local address'],
    ['https://localhost', 'must not be a private, loopback or link-local address'],
    ['https://[::1]', 'must not be a private, loopback or link-local address'],
    ['https://[::ffff:10.0.0.1]', 'must not be a private, loopback or link-local address'],
    ['https://10.0.0.1', 'must not be a private, loopback or link-local address'],
    ['https://169.254.169.254/latest/meta-data', 'must not be a private, loopback or link-local address'],
  ])('%s may not: it %s', (url, fault) => {
    expect(addressFault(url, false)).toBe(fault)
  })

  it('with private platforms allowed, only loopback works without TLS, and metadata addresses stay refused', () => {
    for (const url of ['http://127.0.0.1:3000', 'http://localhost', 'https://10.0.0.1', 'http://[::1]']) {
      expect(addressFault(url, true)).toBeUndefined()
    }
    for (const url of [
      'http://10.0.0.1',
      'http://github.example.com',
      'https://169.254.169.254',
      'http://169.254.169.254',
    ]) {
      expect(addressFault(url, true)).toBeDefined()
    }
  })
})
