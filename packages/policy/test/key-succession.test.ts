import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { successionText, vouchesFor } from '../src/key-succession.ts'

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { privateKey, pem: publicKey.export({ type: 'spki', format: 'pem' }) as string }
}

const [first, second, third] = [newKey(), newKey(), newKey()]
const word = (by: typeof first, previous: string, next: string) =>
  sign(null, Buffer.from(successionText(previous, next)), by.privateKey).toString('base64')
const signature = word(first, first.pem, second.pem)

describe('a key vouches for the next', () => {
  test('by its own signature over both, however their PEM is written', () => {
    expect(vouchesFor(first.pem, second.pem, signature)).toBe(true)
    expect(vouchesFor(`\n${first.pem}\n`, second.pem.replaceAll('\n', '\r\n'), signature)).toBe(true)
  })

  test.each([
    ['another key’s word', first.pem, second.pem, word(third, first.pem, second.pem)],
    ['the next key’s own word', first.pem, second.pem, word(second, first.pem, second.pem)],
    ['a word for another key', first.pem, third.pem, signature],
    ['a word turned around', second.pem, first.pem, signature],
    ['a word of another predecessor', third.pem, second.pem, signature],
    ['no signature', first.pem, second.pem, ''],
    ['no key', 'nonsense', second.pem, signature],
    ['no next key', first.pem, 'nonsense', signature],
  ])('%s does not count', (_, previous, next, given) => {
    expect(vouchesFor(previous, next, given)).toBe(false)
  })
})
