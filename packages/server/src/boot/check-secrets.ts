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
  const { kid, previous } = loadSigningKey(secrets)
  const token = createHash('sha256').update(`mandate token secret ${secrets.tokenSecret}`).digest('hex').slice(0, 16)
  return [
    { name: 'token_secret', fingerprint: token, replaced: [] },
    vaultKeyInUse(secrets.vaultKey, previousVaultKeys),
    { name: 'signing_key', fingerprint: kid, replaced: previous.map((key) => key.kid) },
  ]
}

function vaultKeyInUse(vaultKey: string, previous: readonly string[]): SecretInUse {
  const [fingerprint, ...replaced] = entryKeysOf(vaultKey, previous).ids.map((id) => id.toString('hex'))
  return { name: 'vault_key', fingerprint: fingerprint as string, replaced }
}

/**
 * Compares the secrets of this instance with those that the installation uses, and stores those that are new. A secret may replace
 * another one if the configuration names the other one as a previous key. With `MANDATE_ACCEPT_NEW_SECRETS=on` it may replace any.
 * If no signing key is stored yet, the one that signed the newest checkpoint of the audit trails counts as stored.
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
    const stored = await readFingerprints(client)
    const changed = own.filter(({ name, fingerprint }) => stored.get(name) !== fingerprint)
    // An earlier version stored no fingerprints, but its signing key has signed the audit trails.
    const signer = stored.has('signing_key') ? null : await findLastSigner(client)
    if (signer !== null) stored.set('signing_key', signer)
    const replacing = changed.filter((secret) => isOther(stored, secret))
    if (!acceptNewSecrets) refuseOthers(replacing, stored)
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

/**
 * Compares the vault key of a command that works beside the server with the vault key of the installation. With another one, the
 * server could neither seal the audit entries of the command nor decrypt what the command encrypts. Stores nothing.
 * @throws StartFailure for a vault key that may not replace the stored one
 */
export async function checkVaultKey(ownerUrl: string, vaultKey: string, previous: readonly string[]): Promise<void> {
  const client = new SessionClient(connectionConfig(ownerUrl))
  await client.connect()
  try {
    // The server of a new version has not started yet, so the table may not exist.
    const { rows } = await client.query(`select to_regclass('installation_secrets') as "table"`)
    if (rows[0].table === null) return
    const stored = await readFingerprints(client)
    const own = vaultKeyInUse(vaultKey, previous)
    if (isOther(stored, own)) refuseOthers([own], stored)
  } finally {
    await client.end()
  }
}

type Fingerprints = Map<SecretInUse['name'], string>

const isOther = (stored: Fingerprints, { name, fingerprint }: SecretInUse): boolean =>
  stored.has(name) && stored.get(name) !== fingerprint

async function readFingerprints(client: SessionClient): Promise<Fingerprints> {
  const { rows } = await client.query<Pick<SecretInUse, 'name' | 'fingerprint'>>(
    'select name, fingerprint from installation_secrets',
  )
  return new Map(rows.map(({ name, fingerprint }) => [name, fingerprint]))
}

/** Returns the id of the key that signed the newest checkpoint of all audit trails. Needs a transaction, for `app.tenant_id`. */
async function findLastSigner(client: SessionClient): Promise<string | null> {
  await client.query(lastSigner)
  const { rows } = await client.query(`select nullif(current_setting('mandate.last_signer'), '') as kid`)
  return rows[0].kid
}

// Row-level security applies to the owner of the tables too, so each tenant is read separately.
const lastSigner = `
do $$
declare
  tenant uuid;
  checkpoint record;
  newest timestamptz := '-infinity';
begin
  perform set_config('mandate.last_signer', '', true);
  for tenant in select distinct tenant_id from account_lookup loop
    perform set_config('app.tenant_id', tenant::text, true);
    select kid, signed_at into checkpoint from audit_checkpoints where tenant_id = tenant order by seq desc limit 1;
    if found and checkpoint.signed_at > newest then
      newest := checkpoint.signed_at;
      perform set_config('mandate.last_signer', checkpoint.kid, true);
    end if;
  end loop;
end $$`

const settings: Record<SecretInUse['name'], string> = {
  token_secret: 'MANDATE_TOKEN_SECRET',
  vault_key: 'MANDATE_VAULT_KEY',
  signing_key: 'MANDATE_SIGNING_KEY',
}

function refuseOthers(replacing: readonly SecretInUse[], stored: Fingerprints): void {
  const refused = replacing.filter(({ name, replaced }) => !replaced.includes(stored.get(name) as string))
  if (refused.length === 0) return
  const lines = refused.map(
    ({ name, fingerprint }) =>
      `  - ${settings[name]}: the installation uses ${stored.get(name)}, this instance has ${fingerprint}`,
  )
  throw new StartFailure(
    `this instance has other secrets than the installation (compared by fingerprint):\n${lines.join('\n')}\n` +
      'Set the same values as on the other instances, or restore DATA_DIR/secrets.json. To change a key, see docs/operations.md, ' +
      '"Changing keys". If a secret is lost for good, start once with MANDATE_ACCEPT_NEW_SECRETS=on',
  )
}
