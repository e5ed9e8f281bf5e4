import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { SessionClient } from '../db/connections/session-client.ts'
import { entryKeysOf } from '../security/entry-keys.ts'
import { loadSigningKey } from '../security/signing-key.ts'
import type { Secrets } from './create-services.ts'
import { StartFailure } from './failure.ts'

/** A secret that this instance uses. Nobody can compute the secret from its fingerprint. */
export interface SecretInUse {
  name: 'token_secret' | 'vault_key' | 'signing_key'
  fingerprint: string
  /** Fingerprints of the previous keys in the configuration. This secret may replace one of them. */
  replaced: readonly string[]
}

/** The secrets that this instance uses. */
export function secretsInUse(secrets: Secrets, previousVaultKeys: readonly string[]): SecretInUse[] {
  const [vaultKey, ...oldVaultKeys] = entryKeysOf(secrets.vaultKey, previousVaultKeys).ids.map((id) =>
    id.toString('hex'),
  )
  const { kid, previous } = loadSigningKey(secrets)
  const token = createHash('sha256').update(`mandate token secret ${secrets.tokenSecret}`).digest('hex').slice(0, 16)
  return [
    { name: 'token_secret', fingerprint: token, replaced: [] },
    { name: 'vault_key', fingerprint: vaultKey as string, replaced: oldVaultKeys },
    { name: 'signing_key', fingerprint: kid, replaced: previous.map((key) => key.kid) },
  ]
}

/**
 * Compares the secrets of this instance with those that the installation uses, and stores those that are new. A secret may replace
 * another one if the configuration names the other one as a previous key. With `MANDATE_ACCEPT_NEW_SECRETS=on` it may replace any.
 * Returns the names of the secrets that were replaced.
 * @throws StartFailure for a secret that may not replace the stored one; then nothing is stored
 */
export async function checkSecrets(
  ownerUrl: string,
  secrets: Secrets,
  { previousVaultKeys, acceptNewSecrets }: Pick<Config, 'previousVaultKeys' | 'acceptNewSecrets'>,
): Promise<SecretInUse['name'][]> {
  const own = secretsInUse(secrets, previousVaultKeys)
  const client = new SessionClient(connectionConfig(ownerUrl))
  await client.connect()
  try {
    await client.query('begin')
    // Instances that start together take turns.
    await client.query('lock table installation_secrets in share row exclusive mode')
    const { rows } = await client.query<Pick<SecretInUse, 'name' | 'fingerprint'>>(
      'select name, fingerprint from installation_secrets',
    )
    const stored = new Map(rows.map(({ name, fingerprint }) => [name, fingerprint]))
    const changed = own.filter(({ name, fingerprint }) => stored.get(name) !== fingerprint)
    const replacing = changed.filter(({ name }) => stored.has(name))
    const refused = replacing.filter(({ name, replaced }) => !replaced.includes(stored.get(name) as string))
    if (refused.length > 0 && !acceptNewSecrets) throw otherSecrets(refused, stored)
    for (const { name, fingerprint } of changed) {
      await client.query(
        `insert into installation_secrets (name, fingerprint) values ($1, $2)
         on conflict (name) do update set fingerprint = excluded.fingerprint, changed_at = now()`,
        [name, fingerprint],
      )
    }
    await client.query('commit')
    return replacing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

const settings: Record<SecretInUse['name'], string> = {
  token_secret: 'MANDATE_TOKEN_SECRET',
  vault_key: 'MANDATE_VAULT_KEY',
  signing_key: 'MANDATE_SIGNING_KEY',
}

function otherSecrets(refused: readonly SecretInUse[], stored: ReadonlyMap<string, string>): StartFailure {
  const lines = refused.map(
    ({ name, fingerprint }) =>
      `  - ${settings[name]}: the installation uses ${stored.get(name)}, this instance has ${fingerprint}`,
  )
  return new StartFailure(
    `this instance has other secrets than the installation (compared by fingerprint):\n${lines.join('\n')}\n` +
      'Set the same values as on the other instances, or restore DATA_DIR/secrets.json. To change a key, see docs/operations.md, ' +
      '"Changing keys". If a secret is lost for good, start once with MANDATE_ACCEPT_NEW_SECRETS=on',
  )
}
