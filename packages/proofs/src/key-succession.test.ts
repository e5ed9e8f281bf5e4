import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keyId } from './audit-chain.ts'
import { successionFault, successionText, vouchesFor } from './key-succession.ts'

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { privateKey, pem: publicKey.export({ type: 'spki', format: 'pem' }) as string }
}

const [first, second, third] = [newKey(), newKey(), newKey()]
const word = (by: typeof first, previous: string, next: string) =>
  sign(null, Buffer.from(successionText(previous, next)), by.privateKey).toString('base64')
const signature = word(first, first.pem, second.pem)

describe('the signature of a key for the next key', () => {
  test('is valid over both keys, with any PEM formatting', () => {
    expect(vouchesFor(first.pem, second.pem, signature)).toBe(true)
    expect(vouchesFor(`\n${first.pem}\n`, second.pem.replaceAll('\n', '\r\n'), signature)).toBe(true)
  })

  test.each([
    ['by another key', first.pem, second.pem, word(third, first.pem, second.pem)],
    ['by the next key', first.pem, second.pem, word(second, first.pem, second.pem)],
    ['for another key', first.pem, third.pem, signature],
    ['in the wrong direction', second.pem, first.pem, signature],
    ['of another previous key', third.pem, second.pem, signature],
    ['that is empty', first.pem, second.pem, ''],
    ['with an invalid previous key', 'nonsense', second.pem, signature],
    ['with an invalid next key', first.pem, 'nonsense', signature],
  ])('is invalid %s', (_, previous, next, given) => {
    expect(vouchesFor(previous, next, given)).toBe(false)
  })
})

describe('a list of keys, newest first', () => {
  const listed = (key: typeof first, given?: string) => ({
    public_key_pem: key.pem,
    ...(given !== undefined && { successor: { signature: given } }),
  })
  const next = word(second, second.pem, third.pem)

  test('has no fault if each former key signed its successor', () => {
    expect(successionFault([listed(third)])).toBeUndefined()
    expect(successionFault([listed(third), listed(second, next), listed(first, signature)])).toBeUndefined()
  })

  test.each([
    ['is missing', listed(first)],
    ['is by another key', listed(first, word(third, first.pem, second.pem))],
  ])('has a fault that names both keys if a signature %s', (_, oldest) => {
    expect(successionFault([listed(third), listed(second, next), oldest])).toBe(
      `the key ${keyId(first.pem)} did not sign its successor ${keyId(second.pem)}`,
    )
  })

  test('is refused if a key is not a public key', () => {
    expect(() => successionFault([listed(third), { public_key_pem: 'nonsense' }])).toThrow()
  })
})
