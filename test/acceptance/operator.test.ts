// May take over 10 s: stops the server for the commands that need it stopped.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callApi, mailTo, password, register } from './call-api.ts'
import { dataFolder, mandate, mandateJson, sharedMandate, startMandate } from './mandate-process.ts'

const shared = sharedMandate()
const unknownTenant = '01900000-0000-7000-8000-000000000000'

test('a plan change takes effect at the next request while the server runs', async () => {
  const server = shared()
  const DATA_DIR = server.dataDir
  const { tenantId, credential } = await register(server)
  const plan = async () => (await callApi(server, 'GET', `/tenants/${tenantId}`, { credential })).body.plan
  expect(await plan()).toBe('free')
  const changed = await mandateJson(['operator', 'set-plan', tenantId, 'enterprise', '--max-users', '3'], { DATA_DIR })
  expect(changed).toEqual({ tenant_id: tenantId, plan: 'enterprise', max_users: 3 })
  expect(await plan()).toBe('enterprise')
  const invite = (n: number) =>
    callApi(server, 'POST', `/tenants/${tenantId}/invite`, {
      credential,
      body: { email: `seat-${n}@operator.example`, role: 'member' },
    })
  expect((await invite(1)).status).toBe(202)
  expect((await invite(2)).status).toBe(202)
  expect((await invite(3)).status).toBe(400)
  const back = await mandateJson(['operator', 'set-plan', tenantId, 'pro'], { DATA_DIR })
  expect(back).toEqual({ tenant_id: tenantId, plan: 'pro', max_users: 50 })
  expect((await invite(3)).status).toBe(202)
})

test('rejects an unknown tenant, plan, source or fault with exit code 1, and an invalid option value with 2', async () => {
  const server = shared()
  const { tenantId } = await register(server)
  const settings = { DATA_DIR: server.dataDir, MANDATE_FAULTS: 'on' }
  const cases: [string[], string][] = [
    [['set-plan', unknownTenant, 'pro'], `there is no tenant ${unknownTenant}`],
    [['set-plan', 'acme', 'pro'], 'acme is not a tenant id'],
    [['set-plan', tenantId, 'gold'], 'there is no plan gold; there are free, pro, enterprise'],
    [['set-plan', tenantId, 'pro', '--max-users', 'many'], 'must be a whole number'],
    [['discover', tenantId, '--source', 'runtime', '--name', 'x'], 'there is no source runtime'],
    [['fault', tenantId, 'mail.lose'], 'there is no fault mail.lose'],
  ]
  for (const [args, text] of cases) {
    const { code, stderr } = await mandate(['operator', ...args], settings)
    expect(stderr).toContain(text)
    expect(code).toBe(args.includes('many') ? 2 : 1)
  }
})

test('refuses fault injection unless the configuration allows it', async () => {
  const { code, stderr } = await mandate(['operator', 'fault', unknownTenant, 'mail.send'])
  expect(code).toBe(1)
  expect(stderr).toContain('set MANDATE_FAULTS=on')
})

test('a mail that cannot be sent does not fail the request, and is sent later', async () => {
  const server = shared()
  const settings = { DATA_DIR: server.dataDir, MANDATE_FAULTS: 'on' }
  const { tenantId, credential } = await register(server)
  await mandateJson(['operator', 'fault', tenantId, 'mail.send'], settings)
  const body = { email: 'later@operator.example', role: 'viewer' }
  expect((await callApi(server, 'POST', `/tenants/${tenantId}/invite`, { credential, body })).status).toBe(202)
  expect(await mandateJson(['operator', 'fault', tenantId, 'mail.send', '--off'], settings)).toEqual({
    fault: 'mail.send',
    on: false,
  })
  expect(await mailTo(server, 'later@operator.example')).toContain(`${server.url}/join?token=`)
})

test('a discovered agent has a source and no environment, and waits to be governed or suppressed', async () => {
  const server = shared()
  const { tenantId, credential } = await register(server)
  const args = ['operator', 'discover', tenantId, '--source', 'github', '--name', 'Release bot']
  const { agent_id } = await mandateJson(args, { DATA_DIR: server.dataDir })
  expect((await callApi(server, 'GET', `/agents/${agent_id}`, { credential })).body).toMatchObject({
    name: 'Release bot',
    source: 'github',
    governance_state: 'discovered',
    lifecycle_status: 'proposed',
    environment: null,
  })
})

test('operator commands work while the server is stopped', async () => {
  const DATA_DIR = await dataFolder()
  const server = await startMandate({ DATA_DIR })
  const { tenantId, email } = await register(server)
  await server.stop()
  await mandateJson(['operator', 'set-plan', tenantId, 'pro'], { DATA_DIR })
  const again = await startMandate({ DATA_DIR })
  const { body } = await callApi(again, 'POST', '/auth/sign-in', { body: { email, password } })
  const credential = body.session.access_token
  expect((await callApi(again, 'GET', `/tenants/${tenantId}`, { credential })).body.plan).toBe('pro')
})

test('encrypts secrets again with a new vault key while the server runs', async () => {
  const DATA_DIR = await dataFolder()
  const server = await startMandate({ DATA_DIR })
  const { tenantId, credential } = await register(server)
  await mandateJson(['operator', 'set-plan', tenantId, 'pro'], { DATA_DIR })
  const body = { kind: 'salesforce', name: 'Ours', auth_secret: 'token' }
  expect((await callApi(server, 'POST', '/platforms', { credential, body })).status).toBe(201)
  const { vaultKey } = JSON.parse(await readFile(join(DATA_DIR, 'secrets.json'), 'utf8'))
  const changed = { DATA_DIR, MANDATE_VAULT_KEY: 'a'.repeat(64), MANDATE_VAULT_KEY_PREVIOUS: vaultKey }
  const resealed = { platform_secrets: 1, credential_secrets: 0, second_factors: 0, content_keys: 0 }
  expect(await mandateJson(['operator', 'reseal-secrets'], changed)).toEqual(resealed)
  const { MANDATE_VAULT_KEY_PREVIOUS: _, ...newKeyAlone } = changed
  expect(await mandateJson(['operator', 'reseal-secrets'], newKeyAlone)).toEqual(resealed)
})

test('fails without a database, and does not create one', async () => {
  const { code, stderr } = await mandate(['operator', 'set-plan', unknownTenant, 'pro'], { DATA_DIR: '/nonexistent' })
  expect(code).toBe(1)
  expect(stderr).toContain('there is no database in /nonexistent')
})
