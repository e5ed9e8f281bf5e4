import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkSecrets } from '../boot/check-secrets.ts'
import { newId } from '../db/ids/new-id.ts'
import { secretContext as credentialContext } from '../features/credentials/rules.ts'
import { secretContext as platformContext } from '../features/platforms/rules.ts'
import { secretContext as factorContext } from '../identity/embedded/verify-otp.ts'
import { vaultOf } from '../identity/vault.ts'
import { newSigningKeyPem } from '../security/signing-key.ts'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { resealSecrets } from './reseal-secrets.ts'
import { setPlan } from './set-plan.ts'

const [lost, old, present] = [newKey(), newKey(), newKey()]

const server = useOwnServer()
beforeEach(async () => {
  await server.owner.query('delete from platforms')
  await server.owner.query('delete from credentials')
  vi.stubEnv('DATABASE_URL', server.owner.options.connectionString)
  vi.stubEnv('MANDATE_VAULT_KEY', present)
  vi.stubEnv('MANDATE_VAULT_KEY_PREVIOUS', old)
})
afterEach(() => vi.unstubAllEnvs())

function newKey(): string {
  return randomBytes(32).toString('hex')
}

async function addPlatform(tenant: TestTenant, key: string | null): Promise<string> {
  const id = newId()
  const sealed = key && vaultOf(key, []).seal('token', platformContext(tenant.id, id))
  await server.owner.query(
    `insert into platforms (tenant_id, id, kind, name, config, auth_secret_sealed, created_at)
     values ($1, $2, 'github', 'Ours', '{}', $3, now())`,
    [tenant.id, id, sealed],
  )
  return id
}

async function addCredential(tenant: TestTenant, key: string): Promise<string> {
  const id = newId()
  const sealed = vaultOf(key, []).seal('token', credentialContext(tenant.id, id))
  await server.owner.query(
    `insert into credentials (tenant_id, id, environment_id, name, kind, secret_sealed, version, created_at, updated_at)
     values ($1, $2, $3, 'tickets', 'bearer', $4, 1, now(), now())`,
    [tenant.id, id, tenant.development, sealed],
  )
  return id
}

async function addFactor({ owner }: TestTenant, confirmedAt: string | null): Promise<string> {
  const id = newId()
  const sealed = vaultOf(old, []).seal('factor', factorContext(owner.accountId))
  await server.owner.query(
    'insert into identity.totp_factors (id, account_id, secret_sealed, confirmed_at, created_at) values ($1, $2, $3, $4, now())',
    [id, owner.accountId, sealed, confirmedAt],
  )
  return id
}

const sealedOf = async (id: string) =>
  (
    await server.owner.query(
      `select auth_secret_sealed as sealed from platforms where id = $1
       union all select secret_sealed from credentials where id = $1
       union all select secret_sealed from identity.totp_factors where id = $1`,
      [id],
    )
  ).rows[0].sealed
const openedBy = async (key: string, id: string, context: string) => vaultOf(key, []).open(await sealedOf(id), context)

describe('re-encrypting secrets after a change of the vault key', () => {
  it('re-encrypts the platform secrets, secrets of credentials and second factors of all tenants with the current key', async () => {
    const tenants = [await createTenant(server), await createTenant(server)] as const
    const platforms = [await addPlatform(tenants[0], old), await addPlatform(tenants[1], old)]
    await addPlatform(tenants[0], null)
    const credential = await addCredential(tenants[1], old)
    const factors = [await addFactor(tenants[0], null), await addFactor(tenants[0], new Date().toISOString())]
    for (let times = 0; times < 2; times++) {
      expect(await resealSecrets()).toEqual({
        platform_secrets: 2,
        credential_secrets: 1,
        second_factors: 2,
        content_keys: 0,
      })
    }
    for (const [at, id] of platforms.entries()) {
      const context = platformContext(tenants[at]?.id ?? '', id)
      expect(await openedBy(present, id, context)).toBe('token')
      await expect(openedBy(old, id, context)).rejects.toThrow()
    }
    expect(await openedBy(present, credential, credentialContext(tenants[1].id, credential))).toBe('token')
    for (const id of factors) {
      expect(await openedBy(present, id, factorContext(tenants[0].owner.accountId))).toBe('factor')
    }
  })

  it('names secrets that no key opens, leaves them unchanged, and re-encrypts the others', async () => {
    const tenant = await createTenant(server)
    const [unreadable, readable] = [await addPlatform(tenant, lost), await addPlatform(tenant, old)]
    const before = await sealedOf(unreadable)
    await expect(resealSecrets()).rejects.toThrow(`no vault key given opens the secret of platform ${unreadable};`)
    expect(await sealedOf(unreadable)).toBe(before)
    expect(await openedBy(present, readable, platformContext(tenant.id, readable))).toBe('token')
  })

  it('names a credential that no key opens', async () => {
    const unreadable = await addCredential(await createTenant(server), lost)
    await expect(resealSecrets()).rejects.toThrow(`no vault key given opens the secret of credential ${unreadable};`)
  })

  it('refuses another vault key than the one of the installation, unless it replaces that one, and changes nothing', async () => {
    const tenant = await createTenant(server)
    const platform = await addPlatform(tenant, old)
    const before = await sealedOf(platform)
    const ownerUrl = String(server.owner.options.connectionString)
    const others = { tokenSecret: newKey(), signingKey: newSigningKeyPem(), previousSigningKeys: [] }
    const start = (vaultKey: string, previousVaultKeys: string[]) =>
      checkSecrets(ownerUrl, { ...others, vaultKey }, { previousVaultKeys, acceptNewSecrets: true })
    const changePlan = () => setPlan(tenant.id, 'pro', null)
    await start(lost, [])
    for (const command of [resealSecrets, changePlan]) {
      await expect(command()).rejects.toThrow(/^this instance has other secrets .*\n {2}- MANDATE_VAULT_KEY: /)
    }
    vi.stubEnv('MANDATE_VAULT_KEY_PREVIOUS', '')
    await expect(resealSecrets()).rejects.toThrow('no vault key given opens')
    vi.stubEnv('MANDATE_VAULT_KEY_PREVIOUS', old)
    await start(present, [old])
    vi.stubEnv('MANDATE_VAULT_KEY', old)
    await expect(changePlan()).rejects.toThrow('MANDATE_VAULT_KEY')
    expect(await sealedOf(platform)).toBe(before)
    vi.stubEnv('MANDATE_VAULT_KEY', present)
    await start(old, [])
    expect(await changePlan()).toMatchObject({ plan: 'pro' })
    expect((await resealSecrets()).platform_secrets).toBe(1)
    await server.owner.query('delete from installation_secrets')
  })

  it('requires the key before it changes anything', async () => {
    vi.stubEnv('MANDATE_VAULT_KEY', '')
    await expect(resealSecrets()).rejects.toThrow('set MANDATE_VAULT_KEY')
  })
})
