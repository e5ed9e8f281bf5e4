// May take over 10 s: verifies a trail after restarts of the server.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { callApi, register } from './call-api.ts'
import { dataFolder, mandate, sharedMandate, startMandate, temporaryFolder } from './mandate-process.ts'

const shared = sharedMandate()

test('verifies an exported trail offline, and detects one changed character', async () => {
  const dataDir = await dataFolder()
  const server = await startMandate({ DATA_DIR: dataDir })
  const { tenantId, credential } = await register(server)
  await callApi(server, 'PUT', `/tenants/${tenantId}`, { credential, body: { name: 'Renamed' } })
  const metricsToken = (await readFile(join(dataDir, 'metrics-token'), 'utf8')).trim()
  await vi.waitFor(
    async () => {
      const headers = { authorization: `Bearer ${metricsToken}` }
      const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
      expect(metrics).toMatch(/^mandate_audit_unsealed_entries 0$/m)
    },
    { timeout: 60_000, interval: 200 },
  )
  const verified = await callApi(server, 'GET', '/audit/verify', { credential })
  expect(verified).toMatchObject({ status: 200, body: { valid: true } })

  const headers = { authorization: `Bearer ${credential}` }
  const exported = await (await fetch(`${server.url}/api/v1/audit/export`, { headers })).text()
  expect(exported).toContain('tenant.updated')
  const folder = await temporaryFolder()
  const file = join(folder, 'audit.ndjson')
  await writeFile(file, exported)
  const keysFile = join(folder, 'key.pem')
  const { body } = await callApi(server, 'GET', '/edge/signing-key')
  await writeFile(keysFile, body.keys[0].public_key_pem)
  expect(await mandate(['audit', 'verify', file, '--key', keysFile, '--complete'])).toMatchObject({ code: 0 })
  const withoutOne = exported.split('\n').toSpliced(1, 1).join('\n')
  await writeFile(join(folder, 'short.ndjson'), withoutOne)
  expect(await mandate(['audit', 'verify', join(folder, 'short.ndjson'), '--key', keysFile])).toMatchObject({ code: 1 })
  expect(await mandate(['audit', 'verify', file, '--key', `${server.url}/api/v1/edge/signing-key`])).toMatchObject({
    code: 0,
  })

  await writeFile(file, (await readFile(file, 'utf8')).replace('tenant.updated', 'tenant.updatex'))
  const tampered = await mandate(['audit', 'verify', file, '--key', keysFile])
  expect(tampered.code).toBe(1)
  expect(JSON.parse(tampered.stdout)).toMatchObject({ valid: false })
})

test('seals audit entries that operator commands write', async () => {
  const server = shared()
  const { tenantId, credential } = await register(server)
  const settings = { DATA_DIR: server.dataDir }
  expect(await mandate(['operator', 'set-plan', tenantId, 'enterprise'], settings)).toMatchObject({ code: 0 })
  const { body } = await callApi(server, 'GET', '/audit/verify', { credential })
  expect(body).toMatchObject({ valid: true, entries: 3, pending: 0 })
})

test('the trail continues after a restart and still verifies', async () => {
  const DATA_DIR = await dataFolder()
  const first = await startMandate({ DATA_DIR })
  const { credential, tenantId } = await register(first)
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  const second = await startMandate({ DATA_DIR })
  await callApi(second, 'PUT', `/tenants/${tenantId}`, { credential, body: { name: 'Renamed' } })
  await vi.waitFor(
    async () => {
      const { body } = await callApi(second, 'GET', '/audit/verify', { credential })
      expect(body).toMatchObject({ valid: true })
      expect(body.entries).toBeGreaterThanOrEqual(2)
    },
    { timeout: 60_000, interval: 300 },
  )
})
