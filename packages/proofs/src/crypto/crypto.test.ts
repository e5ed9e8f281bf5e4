import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as browser from './browser.ts'
import * as node from './node.ts'

const pemOf = (key = generateKeyPairSync('ed25519').publicKey) => key.export({ type: 'spki', format: 'pem' }) as string
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('the cryptography of browsers', () => {
  it('hashes as that of Node does', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.uint8Array(), (texts, bytes) => {
        const text = texts.join('')
        const inParts = ({ startSha256 }: typeof node) => {
          const hash = startSha256()
          for (const part of texts) hash.update(part)
          return hash.digest('hex')
        }
        expect(inParts(browser)).toBe(inParts(node))
        expect(browser.sha256(text)).toBe(node.sha256(text))
        expect(browser.sha256(bytes)).toBe(node.sha256(bytes))
        expect(browser.bytesOfHex(hex(bytes))).toEqual(bytes)
        expect(hex(node.bytesOfHex(hex(bytes)))).toBe(hex(bytes))
      }),
    )
  })

  it('reads keys and checks signatures as that of Node does', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const pem = pemOf(publicKey)
    for (const form of [pem, pem.replaceAll('\n', '\r\n'), `\n${pem}\n`]) {
      expect(hex(browser.derOf(form))).toBe(hex(node.derOf(form)))
      expect(browser.normalPem(form)).toBe(node.normalPem(form))
    }
    const signature = sign(null, Buffer.from('a text'), privateKey).toString('base64')
    const cases: [string, string, string, boolean][] = [
      [pem, 'a text', signature, true],
      [pem, 'another text', signature, false],
      [pemOf(), 'a text', signature, false],
      [pem, 'a text', Buffer.alloc(64).toString('base64'), false],
      [pem, 'a text', sign(null, Buffer.from('a'), privateKey).toString('base64'), false],
      // The same point with the number S + L, which RFC 8032 forbids.
      [pem, 'a text', withLargeNumber(signature), false],
    ]
    for (const [key, text, given, isValid] of cases) {
      expect(node.isSigned(key, text, given)).toBe(isValid)
      expect(browser.isSigned(key, text, given)).toBe(isValid)
    }
  })

  it('refuses what is not an Ed25519 public key', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    for (const pem of ['', 'nonsense', pemOf(rsa), pemOf(ec), pemOf().replace('MCow', 'MCox')]) {
      expect(() => browser.derOf(pem)).toThrow()
    }
  })
})

/** Adds the order of the group to the number of a signature. */
function withLargeNumber(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const number = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
  Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32)
  return bytes.toString('base64')
}
