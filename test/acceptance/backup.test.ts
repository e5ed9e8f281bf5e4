// May take over 10 s: saves and restores a whole data folder, which needs several servers.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callApi, password, register } from './call-api.ts'
import { dataFolder, mandate, startMandate, temporaryFolder } from './mandate-process.ts'

test('a backup of a running server restores everything written before it and nothing written after it', async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder() })
  const before = await register(server, 'before@example.com')
  const file = join(await temporaryFolder(), 'mandate.tar.gz')
  expect(await mandate(['backup', file], { DATA_DIR: server.dataDir })).toMatchObject({ code: 0 })
  await register(server, 'after@example.com')

  const DATA_DIR = join(await temporaryFolder(), 'restored')
  expect(await mandate(['restore', file], { DATA_DIR })).toMatchObject({ code: 0 })
  const restored = await startMandate({ DATA_DIR })
  const signIn = (email: string) => callApi(restored, 'POST', '/auth/sign-in', { body: { email, password } })
  expect((await signIn('before@example.com')).status).toBe(200)
  expect((await signIn('after@example.com')).status).toBe(401)
  const { credential } = before
  expect((await callApi(restored, 'GET', '/tenants', { credential })).body.tenant.id).toBe(before.tenantId)
})

test('a restore over an existing data folder needs --force, and is refused while the server runs', async () => {
  const DATA_DIR = await dataFolder()
  const server = await startMandate({ DATA_DIR })
  const file = join(await temporaryFolder(), 'mandate.tar.gz')
  await mandate(['backup', file], { DATA_DIR })
  expect(await mandate(['restore', file], { DATA_DIR })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--force'),
  })
  expect(await mandate(['restore', file, '--force'], { DATA_DIR })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`in use by process ${server.pid}`),
  })
  await server.stop()
  expect(await mandate(['restore', file, '--force'], { DATA_DIR })).toMatchObject({ code: 0 })
  await startMandate({ DATA_DIR })
})

test('rejects a damaged backup without changing anything', { tags: ['long'] }, async () => {
  const DATA_DIR = await dataFolder()
  await (await startMandate({ DATA_DIR })).stop()
  const file = join(await temporaryFolder(), 'mandate.tar.gz')
  await mandate(['backup', file], { DATA_DIR })
  const bytes = await readFile(file)
  await writeFile(file, bytes.subarray(0, bytes.length - 1000))
  expect((await mandate(['restore', file, '--force'], { DATA_DIR })).code).toBe(1)
  await startMandate({ DATA_DIR })
})
