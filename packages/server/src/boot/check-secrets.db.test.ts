import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadSigningKey, newSigningKeyPem, succeedSigningKey } from '../security/signing-key.ts'
import { createTenant } from '../testing/arrange.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { checkSecrets, secretsInUse } from './check-secrets.ts'
import type { Secrets } from './create-services.ts'

const server = useOwnServer()
const ownerUrl = () => String(server.owner.options.connectionString)
const newSecret = () => randomBytes(32).toString('hex')
const newSecrets = (): Secrets => ({
  tokenSecret: newSecret(),
  vaultKey: newSecret(),
  signingKey: newSigningKeyPem(),
  previousSigningKeys: [],
})
const start = (secrets: Secrets, { previousVaultKeys = [] as string[], acceptNewSecrets = false } = {}) =>
  checkSecrets(ownerUrl(), secrets, { previousVaultKeys, acceptNewSecrets })
const stored = async () =>
  (await server.owner.query('select name, fingerprint from installation_secrets order by name')).rows

let first: Secrets

beforeEach(async () => {
  await server.owner.query('delete from installation_secrets')
  first = newSecrets()
  await start(first)
})

describe('the secrets of an installation', () => {
  it('are stored at the first start as fingerprints, and the next instance needs the same ones', async () => {
    const fingerprints = secretsInUse(first, []).map(({ name, fingerprint }) => ({ name, fingerprint }))
    expect(await stored()).toEqual(fingerprints.toSorted((a, b) => a.name.localeCompare(b.name)))
    const text = JSON.stringify(await stored())
    for (const secret of [first.tokenSecret, first.vaultKey]) expect(text).not.toContain(secret.slice(0, 16))
    expect(await start(first)).toEqual([])
  })

  it.each([
    ['tokenSecret', 'MANDATE_TOKEN_SECRET', newSecret],
    ['vaultKey', 'MANDATE_VAULT_KEY', newSecret],
    ['signingKey', 'MANDATE_SIGNING_KEY', newSigningKeyPem],
  ] as const)('refuse an instance with another %s, name the setting, and stay', async (field, setting, make) => {
    const before = await stored()
    await expect(start({ ...first, [field]: make() })).rejects.toThrow(setting)
    expect(await stored()).toEqual(before)
    expect(await start(first)).toEqual([])
  })

  it('let a key replace one that the configuration names as its previous key, and then refuse the old one', async () => {
    const vaultKey = newSecret()
    const rotated = { ...first, ...succeedSigningKey(first), vaultKey }
    expect(await start(rotated, { previousVaultKeys: [first.vaultKey] })).toEqual(['vault_key', 'signing_key'])
    await expect(start(first)).rejects.toThrow('MANDATE_VAULT_KEY')
    await expect(start({ ...first, vaultKey })).rejects.toThrow('MANDATE_SIGNING_KEY')
  })

  it('are replaced by any others if the operator accepts new ones', async () => {
    const other = newSecrets()
    expect(await start(other, { acceptNewSecrets: true })).toEqual(['token_secret', 'vault_key', 'signing_key'])
    await expect(start(first)).rejects.toThrow('MANDATE_ACCEPT_NEW_SECRETS')
  })

  it('are those of one instance if two start together with different ones on a new database', async () => {
    await server.owner.query('delete from installation_secrets')
    const outcomes = await Promise.allSettled([start(first), start(newSecrets())])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  // The last test, because checkpoints cannot be deleted.
  it('include the key that signed the newest audit checkpoint, if an earlier version stored no fingerprints', async () => {
    const forget = () => server.owner.query('delete from installation_secrets')
    const earlier = newSecrets()
    const signed = async (secrets: Secrets, seq: number, at: string) => {
      const { id } = await createTenant(server)
      await server.owner.query(
        `insert into audit_checkpoints (tenant_id, seq, chain_hash, kid, signature, signed_at)
         values ($1, $2, '', $3, 'not read here', $4)`,
        [id, seq, loadSigningKey(secrets).kid, at],
      )
    }
    await signed(earlier, 1_000_001, '2999-01-01')
    await signed(first, 1_000_000, '2999-01-02')
    await forget()
    await expect(start(earlier)).rejects.toThrow('MANDATE_SIGNING_KEY')
    expect(await stored()).toEqual([])
    const rotated = { ...first, ...succeedSigningKey(first) }
    expect(await start(rotated)).toEqual(['signing_key'])
    await forget()
    expect(await start(first)).toEqual([])
    expect(await stored()).toHaveLength(3)
    await forget()
    expect(await start(earlier, { acceptNewSecrets: true })).toEqual(['signing_key'])
  })
})
