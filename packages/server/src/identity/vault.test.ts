import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createVault } from './vault.ts'

const vault = createVault(randomBytes(32))

it('opens with the same context what it sealed', () => {
  expect(vault.open(vault.seal('a secret ✓', 'totp:1'), 'totp:1')).toBe('a secret ✓')
})

it('seals the same text differently each time and never contains it', () => {
  const sealed = vault.seal('plain text', 'totp:1')
  expect(sealed).not.toBe(vault.seal('plain text', 'totp:1'))
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('plain text')
})

it('refuses another context, another key and a changed text', () => {
  const sealed = vault.seal('a secret', 'totp:1')
  const changed = sealed.slice(0, -1) + (sealed.endsWith('A') ? 'B' : 'A')
  expect(() => vault.open(sealed, 'totp:2')).toThrow()
  expect(() => createVault(randomBytes(32)).open(sealed, 'totp:1')).toThrow()
  expect(() =>
    vault.open(
      changed.replace(/^v1\.(.)/, (_, c) => `v1.${c === 'A' ? 'B' : 'A'}`),
      'totp:1',
    ),
  ).toThrow()
  expect(() => vault.open('a secret', 'totp:1')).toThrow('cannot decrypt the text: encrypted text starts with v1.')
})

it('opens what previous keys sealed, and seals with the current key only', () => {
  const [old, older, present] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const rotated = createVault(present, [old, older])
  for (const key of [old, older]) expect(rotated.open(createVault(key).seal('a secret', 'x'), 'x')).toBe('a secret')
  const sealed = rotated.seal('a secret', 'x')
  expect(createVault(present).open(sealed, 'x')).toBe('a secret')
  expect(() => createVault(old, [older]).open(sealed, 'x')).toThrow()
  expect(() => rotated.open(createVault(old).seal('a secret', 'x'), 'y')).toThrow()
})

it('refuses a key of another length', () => {
  expect(() => createVault(randomBytes(16))).toThrow('32 bytes')
  expect(() => createVault(randomBytes(32), [randomBytes(16)])).toThrow('32 bytes')
})
