import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { loadSecrets } from './secrets.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mandate-secrets-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const configWith = (env: Record<string, string> = {}) => readConfig({ DATA_DIR: dataDir, ...env })
const fresh = async () => true
const used = async () => false

test('secrets are created at the first start, readable only by their owner, and reused', async () => {
  const made = await loadSecrets(configWith(), fresh)
  expect(made.vaultKey).toMatch(/^[0-9a-f]{64}$/)
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect(await readdir(dataDir)).toEqual(['secrets.json'])
  expect(await loadSecrets(configWith(), used)).toEqual(made)
})

test('a configured secret replaces the stored one', async () => {
  const made = await loadSecrets(configWith(), fresh)
  const vaultKey = 'c'.repeat(64)
  expect(await loadSecrets(configWith({ MANDATE_VAULT_KEY: vaultKey }), used)).toEqual({ ...made, vaultKey })
})

test('a used database without its secrets file is refused and gets no new secrets', async () => {
  await expect(loadSecrets(configWith(), used)).rejects.toThrow(/secrets\.json is missing/)
  expect(await readdir(dataDir)).toEqual([])
})

test('a damaged file is refused and left unchanged', async () => {
  const file = join(dataDir, 'secrets.json')
  await writeFile(file, '{"tokenSecret":')
  await expect(loadSecrets(configWith(), fresh)).rejects.toThrow(/is damaged/)
  expect(await readFile(file, 'utf8')).toBe('{"tokenSecret":')
})

test('a folder in place of the file is named in words', async () => {
  await mkdir(join(dataDir, 'secrets.json'))
  await expect(loadSecrets(configWith(), fresh)).rejects.toThrow('secrets.json cannot be read: it is a folder')
})

test('starts at the same time use the same secrets', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => loadSecrets(configWith(), fresh)))
  expect(new Set(all.map((secrets) => JSON.stringify(secrets))).size).toBe(1)
})
