// May take over 10 s: each setting of the server needs a server of its own.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { callApi, register } from './call-api.ts'
import { dataFolder, startMandate, startRefused, temporaryFolder } from './mandate-process.ts'

const newSecrets = () => ({
  MANDATE_TOKEN_SECRET: randomBytes(32).toString('hex'),
  MANDATE_VAULT_KEY: randomBytes(32).toString('hex'),
  MANDATE_SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
})

test('lists invalid settings, one per line, and creates nothing', async () => {
  const dataDir = await temporaryFolder()
  const settings = { DATA_DIR: dataDir, PORT: '99999', SMTP_URL: 'nowhere', MANDATE_FAULTS: 'maybe' }
  const { code, stderr } = await startRefused(settings)
  expect(code).toBe(1)
  expect(stderr).toContain('the configuration is not valid')
  for (const name of ['PORT', 'SMTP_URL', 'MANDATE_FAULTS']) expect(stderr).toMatch(new RegExp(`^ {2}- ${name}: `, 'm'))
  expect(await readdir(dataDir)).toEqual([])
})

test('refuses a given database without secrets, and names each missing secret', async () => {
  const { code, stderr } = await startRefused({ DATABASE_URL: 'postgresql://localhost/mandate' })
  expect(code).toBe(1)
  for (const name of ['MANDATE_TOKEN_SECRET', 'MANDATE_VAULT_KEY', 'MANDATE_SIGNING_KEY']) {
    expect(stderr).toContain(`${name}: must be set when DATABASE_URL is`)
  }
})

test('names an unreachable database without its password', async () => {
  const DATABASE_URL = 'postgresql://someone:hush@127.0.0.1:1/nowhere'
  const { code, stderr, stdout } = await startRefused({ DATABASE_URL, ...newSecrets() })
  expect(code).toBe(1)
  expect(stderr).toContain('the database 127.0.0.1:1/nowhere of DATABASE_URL cannot be used')
  expect(stdout + stderr).not.toContain('hush')
  const variables = { DATABASE_URL: 'postgresql:///nowhere', PGHOST: '127.0.0.1', PGPORT: '1' }
  expect((await startRefused({ ...variables, ...newSecrets() })).stderr).toContain(
    'the database 127.0.0.1:1/nowhere of',
  )
})

test('refuses a used data folder without its secrets, instead of creating new secrets', async () => {
  const dataDir = await dataFolder()
  await rm(join(dataDir, 'secrets.json'))
  const { code, stderr } = await startRefused({ DATA_DIR: dataDir })
  expect(code).toBe(1)
  expect(stderr).toContain('secrets.json is missing')
})

/** The secrets of a data folder, as settings. */
async function secretsIn(dataDir: string) {
  const { tokenSecret, vaultKey, signingKey } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))
  return { MANDATE_TOKEN_SECRET: tokenSecret, MANDATE_VAULT_KEY: vaultKey, MANDATE_SIGNING_KEY: signingKey }
}

test('two instances on one database share everything, and an instance with another key does not start', async () => {
  const first = await startMandate({ DATA_DIR: await dataFolder() })
  const secrets = await secretsIn(first.dataDir)
  const { ownerPassword } = JSON.parse(await readFile(join(first.dataDir, 'database.json'), 'utf8'))
  const socket = encodeURIComponent(first.database().socketDir)
  const DATABASE_URL = `postgresql://mandate_owner:${ownerPassword}@${socket}:5432/mandate`
  const second = await startMandate({ DATABASE_URL, DATA_DIR: await temporaryFolder(), ...secrets })
  const { tenantId, credential } = await register(first)
  expect((await callApi(second, 'GET', `/tenants/${tenantId}`, { credential })).status).toBe(200)
  await expect
    .poll(() => second.output())
    .toContain('another instance uses the same database, and REDIS_URL is not set')
  expect(first.output()).not.toContain('another instance')
  const { MANDATE_SIGNING_KEY } = newSecrets()
  const other = { DATABASE_URL, DATA_DIR: await temporaryFolder(), ...secrets, MANDATE_SIGNING_KEY }
  expect((await startRefused(other)).stderr).toContain('- MANDATE_SIGNING_KEY: the installation uses ')
  expect(await second.stop()).toMatchObject({ code: 0 })
})

/** Expects exit code 1 and an error of one sentence that contains `parts`, without a stack trace. */
async function expectOneSentence(settings: Record<string, string>, ...parts: string[]): Promise<string> {
  const { code, stderr } = await startRefused(settings)
  expect(code, stderr).toBe(1)
  expect(stderr).not.toMatch(/^ +at /m)
  for (const part of parts) expect(stderr).toContain(part)
  return stderr
}

test('refuses a data folder with another program’s files in one sentence', async () => {
  const dataDir = await temporaryFolder()
  await mkdir(join(dataDir, 'pg'))
  await writeFile(join(dataDir, 'pg', 'notes.txt'), 'mine')
  await expectOneSentence({ DATA_DIR: dataDir }, 'it has no file PG_VERSION', 'set DATA_DIR', 'docs/operations.md')
  expect(await readFile(join(dataDir, 'pg', 'notes.txt'), 'utf8')).toBe('mine')
})

test('refuses a data folder of another PostgreSQL version in one sentence that names both versions', {
  tags: ['long'],
}, async () => {
  const dataDir = await temporaryFolder()
  await mkdir(join(dataDir, 'pg'))
  await writeFile(join(dataDir, 'pg', 'PG_VERSION'), '13\n')
  await expectOneSentence({ DATA_DIR: dataDir }, 'PostgreSQL 13 wrote it', 'brings PostgreSQL 18')
})

test('refuses a data folder that is a file in one sentence', async () => {
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  await expectOneSentence({ DATA_DIR: file }, `the data folder ${file} cannot be used`, 'set DATA_DIR')
})

test('refuses a role without its password or the required rights, and prints the statements that grant them', async () => {
  const secrets = newSecrets()
  const host = await startMandate({ DATA_DIR: await dataFolder() })
  const { ownerPassword } = JSON.parse(await readFile(join(host.dataDir, 'database.json'), 'utf8'))
  const socket = encodeURIComponent(host.database().socketDir)
  const admin = new pg.Client(`postgresql://mandate_owner:${ownerPassword}@${socket}:5432/mandate`)
  await admin.connect()
  await admin.query(`create role poor login password 'poor'`)
  await admin.query('create database poor')
  await admin.end()
  const settings = {
    DATABASE_URL: `postgresql://poor:poor@${socket}:5432/poor`,
    DATA_DIR: await temporaryFolder(),
    ...secrets,
  }
  const withoutPassword = { ...settings, DATABASE_URL: `postgresql://poor@${socket}:5432/poor` }
  await expectOneSentence(withoutPassword, 'cannot be used: the server asks for a password. Write it into DATABASE_URL')
  const text = await expectOneSentence(settings, 'the role poor of DATABASE_URL lacks a right', 'docs/operations.md')
  const statements = [...text.matchAll(/^ {2}(.+;)$/gm)].map(([, statement]) => statement as string)
  expect(statements).toHaveLength(5)
  const mender = new pg.Client(`postgresql://mandate_owner:${ownerPassword}@${socket}:5432/poor`)
  await mender.connect()
  // The roles belong to the cluster, where the test's server has already created them.
  for (const statement of statements.slice(2)) await mender.query(statement)
  await mender.end()
  expect((await startMandate(settings)).url).toContain('http')
})

test('a server older than the schema does not start, and names both versions', { tags: ['long'] }, async () => {
  const dataDir = await dataFolder()
  const newer = await startMandate({ DATA_DIR: dataDir })
  const { ownerPassword } = JSON.parse(await readFile(join(dataDir, 'database.json'), 'utf8'))
  const socket = encodeURIComponent(newer.database().socketDir)
  const client = new pg.Client(`postgresql://mandate_owner:${ownerPassword}@${socket}:5432/mandate`)
  await client.connect()
  const { rows } = await client.query('select max(name) as newest from schema_migrations')
  await client.query(`insert into schema_migrations (name, applied_at) values ('9999-later.sql', now())`)
  await client.end()
  await newer.stop()
  await expectOneSentence({ DATA_DIR: dataDir }, 'a newer Mandate', '9999-later.sql', rows[0].newest)
})
