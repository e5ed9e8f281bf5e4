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

  it.each(['::1', 'fc00::1', 'fd12:3456::1'])('%s likewise', (address) => {
    expect(mayConnectTo(address, false)).toBe(false)
    expect(mayConnectTo(address, true)).toBe(true)
  })

  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '255.255.255.255',
    '100.100.100.200',
    'ff02::1',
    'no address',
  ])('%s is never connected to', (address) => {
    expect(mayConnectTo(address, false)).toBe(false)
    expect(mayConnectTo(address, true)).toBe(false)
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

  it('where private platforms are allowed, loopback needs no TLS; elsewhere it does, and metadata stays refused', () => {
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
