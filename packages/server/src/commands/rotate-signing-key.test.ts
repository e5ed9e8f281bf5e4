import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadSecrets } from '../boot/secrets.ts'
import { readConfig } from '../config.ts'
import { loadSigningKey, newSigningKeyPem } from '../security/signing-key.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mandate-secrets-'))
  vi.stubEnv('DATA_DIR', dataDir)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(dataDir, { recursive: true, force: true })
})

const secretsFromFile = () => loadSecrets(readConfig({ DATA_DIR: dataDir }), async () => true)

test('replaces the key in the data folder by one that it signed, deletes the old private key, and keeps the other secrets', async () => {
  const before = await secretsFromFile()
  const { kid, previous_kid, file } = await rotateSigningKey()
  await rotateSigningKey()
  const after = await secretsFromFile()
  const { previous } = loadSigningKey(after)
  expect(previous.map((key) => key.kid)).toEqual([kid, loadSigningKey(before).kid])
  expect(previous_kid).toBe(loadSigningKey(before).kid)
  expect(after).toMatchObject({ tokenSecret: before.tokenSecret, vaultKey: before.vaultKey })
  expect(JSON.stringify(after)).not.toContain(JSON.stringify(before.signingKey).slice(1, -1))
  expect(file).toBe(join(dataDir, 'secrets.json'))
  expect(await readdir(dataDir)).toEqual(['secrets.json'])
  expect((await stat(file ?? '')).mode & 0o777).toBe(0o600)
})

test('for a key from the environment, returns the new settings and writes nothing', async () => {
  const signingKey = newSigningKeyPem()
  vi.stubEnv('MANDATE_SIGNING_KEY', signingKey)
  const first = await rotateSigningKey()
  for (const [name, value] of Object.entries(first.settings ?? {})) vi.stubEnv(name, value)
  const second = await rotateSigningKey()
  const kids = loadSigningKey(readConfig(second.settings).secrets as never).previous.map(({ kid }) => kid)
  expect(kids).toEqual([first.kid, first.previous_kid])
  expect(await readdir(dataDir)).toEqual([])
})

test('without a signing key, the error names the missing setting', async () => {
  await expect(rotateSigningKey()).rejects.toThrow('set DATA_DIR, or MANDATE_SIGNING_KEY')
  vi.stubEnv('DATABASE_URL', 'postgresql://localhost/mandate')
  await expect(rotateSigningKey()).rejects.toThrow('set MANDATE_SIGNING_KEY')
})
