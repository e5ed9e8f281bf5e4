import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVault } from '../identity/vault.ts'
import { openPlace, sealPlace } from './page-tokens.ts'

const vault = createVault(randomBytes(32))
const place = fc.array(fc.oneof(fc.string(), fc.integer(), fc.uuid()), { maxLength: 4 })
const open = (token: string) => openPlace(vault, 'decisions', token)

test('a token gives its place, and 400 for the same token in another list', () => {
  fc.assert(
    fc.property(place, (place) => {
      const token = sealPlace(vault, 'decisions', place)
      expect(open(token)).toEqual(place)
      expect(() => openPlace(vault, 'freezes', token)).toThrow('page_token is not a cursor of this list')
    }),
  )
})

test('400 for a token with any character changed, removed or added at any place', () => {
  const added = fc.oneof(
    fc.constantFrom('A', '=', '==', '.', ' ', '\n', '!', '~', 'é'),
    fc.string({ minLength: 1, maxLength: 3 }),
  )
  fc.assert(
    fc.property(place, fc.nat(), fc.constantFrom(0, 1), added, (place, position, removed, added) => {
      const token = sealPlace(vault, 'decisions', place)
      const at = position % (token.length + 1)
      const changed = token.slice(0, at) + added + token.slice(at + removed)
      fc.pre(changed !== token)
      for (const damaged of [changed, token + added, added + token, token.slice(0, -1), token.slice(1)])
        expect(() => open(damaged)).toThrow('page_token is not a cursor of this list')
    }),
  )
})

test('400 for each of the characters that base64url could also read at the end', () => {
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=']
  for (const place of ['', 'a', 'ab', 'abc']) {
    const token = sealPlace(vault, 'decisions', place)
    for (const last of alphabet.filter((each) => each !== token.at(-1)))
      expect(() => open(token.slice(0, -1) + last)).toThrow('page_token')
    expect(() => open(`${token.replaceAll('-', '+').replaceAll('_', '/')}=`)).toThrow('page_token')
  }
})
