import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callApi, register } from './call-api.ts'
import { startMandate, startRefused, temporaryFolder } from './mandate-process.ts'

const newSecrets = () => ({
  MANDATE_TOKEN_SECRET: randomBytes(32).toString('hex'),
  MANDATE_VAULT_KEY: randomBytes(32).toString('hex'),
  MANDATE_SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
})

test('settings that are wrong are listed, one line each, and nothing is made', async () => {
  const dataDir = await temporaryFolder()
  const settings = { DATA_DIR: dataDir, PORT: '99999', SMTP_URL: 'nowhere', MANDATE_FAULTS: 'maybe' }
  const { code, stderr } = await startRefused(settings)
  expect(code).toBe(1)
  expect(stderr).toContain('the configuration is not valid')
  for (const name of ['PORT', 'SMTP_URL', 'MANDATE_FAULTS']) expect(stderr).toMatch(new RegExp(`^ {2}- ${name}: `, 'm'))
  expect(await readdir(dataDir)).toEqual([])
})

test('a given database without secrets is refused, each secret named', async () => {
  const { code, stderr } = await startRefused({ DATABASE_URL: 'postgresql://localhost/mandate' })
  expect(code).toBe(1)
  for (const name of ['MANDATE_TOKEN_SECRET', 'MANDATE_VAULT_KEY', 'MANDATE_SIGNING_KEY']) {
    expect(stderr).toContain(`${name}: must be set when DATABASE_URL is`)
  }
})

test('a given database that does not answer is named without its password', async () => {
  const DATABASE_URL = 'postgresql://someone:hush@127.0.0.1:1/nowhere'
  const { code, stderr, stdout } = await startRefused({ DATABASE_URL, ...newSecrets() })
  expect(code).toBe(1)
  expect(stderr).toContain('the database 127.0.0.1:1/nowhere of DATABASE_URL cannot be used')
  expect(stdout + stderr).not.toContain('hush')
})

test('a used data folder whose secrets are gone is refused rather than given new ones', async () => {
  const dataDir = await temporaryFolder()
  await (await startMandate({ DATA_DIR: dataDir })).stop()
  await rm(join(dataDir, 'secrets.json'))
  const { code, stderr } = await startRefused({ DATA_DIR: dataDir })
  expect(code).toBe(1)
  expect(stderr).toContain('secrets.json is missing')
})

test('two instances on one given database share everything', async () => {
  const secrets = newSecrets()
  const first = await startMandate({ DATA_DIR: await temporaryFolder(), ...secrets })
  const { ownerPassword } = JSON.parse(await readFile(join(first.dataDir, 'database.json'), 'utf8'))
  const socket = encodeURIComponent(first.database().socketDir)
  const DATABASE_URL = `postgresql://mandate_owner:${ownerPassword}@${socket}:5432/mandate`
  const second = await startMandate({ DATABASE_URL, DATA_DIR: await temporaryFolder(), ...secrets })
  const { tenantId, credential } = await register(first)
  expect((await callApi(second, 'GET', `/tenants/${tenantId}`, { credential })).status).toBe(200)
  expect(await second.stop()).toMatchObject({ code: 0 })
})
