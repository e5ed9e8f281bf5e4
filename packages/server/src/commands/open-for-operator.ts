import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import { connectEmbedded } from '@mandate/embedded-postgres/connect-embedded'
import { EmbeddedInUse } from '@mandate/embedded-postgres/owner-lock'
import { startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import type { AuditSource } from '../audit/record-audit.ts'
import { checkVaultKey } from '../boot/check-secrets.ts'
import { readStored } from '../boot/secrets.ts'
import { type OperatorConfig, readOperatorConfig } from '../config.ts'
import { Database, type Tx } from '../db/database.ts'
import { newId } from '../db/ids/new-id.ts'
import { raw } from '../db/statements/statement.ts'
import { type EntryKeys, entryKeysOf } from '../security/entry-keys.ts'

const timeoutMs = 30_000

/** The configuration, the locked tenant, the audit source and the transaction of an operator command. */
export interface OperatorContext {
  config: OperatorConfig
  tenant: { id: string; name: string; plan: string; maxUsersOverride: number | null }
  /** The actor and time for audit entries of the command. */
  by: AuditSource
  tx: Tx
}

/**
 * Runs `work` in one transaction that locks the tenant's row. The server may be running or not. Throws for an unknown tenant.
 */
export async function asOperator<T>(tenantId: string, work: (context: OperatorContext) => Promise<T>): Promise<T> {
  const config = readOperatorConfig()
  if (!isUuid(tenantId)) throw new Error(`${tenantId} is not a tenant id`)
  return await withDatabase(config, async (db, vaultKey) => {
    const entryKeys = entryKeysOf(vaultKey, config.previousVaultKeys)
    return await db.transaction(tenantId, async (tx) => {
      const tenant = await tx.maybe(raw<OperatorContext['tenant']>(lockTenant, [tenantId]))
      if (!tenant) throw new Error(`there is no tenant ${tenantId}`)
      return await work({ config, tenant, by: operatorNow(tenantId, entryKeys), tx })
    })
  })
}

/**
 * Returns the vault key of the server. Throws if the key is neither configured nor stored in the data folder of the embedded
 * database.
 */
async function readVaultKey({ dataDir, databaseUrl, secrets }: OperatorConfig): Promise<string> {
  const key = secrets.vaultKey ?? (databaseUrl ? undefined : (await readStored(dataDir))?.vaultKey)
  if (!key) throw new Error('set MANDATE_VAULT_KEY to the value that the server uses')
  return key
}

/**
 * Runs `work` on the database with the vault key of the server. The server may be running or not.
 * @param isChecked false for work that may have another vault key than the installation
 * @throws StartFailure if the installation uses another vault key
 */
export async function withDatabase<T>(
  config: OperatorConfig,
  work: (db: Database, vaultKey: string) => Promise<T>,
  isChecked = true,
): Promise<T> {
  await using place = await reachDatabase(config)
  const vaultKey = await readVaultKey(config)
  if (isChecked) await checkVaultKey(place.ownerUrl, vaultKey, config.previousVaultKeys)
  const db = new Database({ url: place.appUrl, poolSize: 1, readConnections: 1, applicationName: 'mandate operator' })
  try {
    return await work(db, vaultKey)
  } finally {
    await db.close()
  }
}

const lockTenant = `select id, name, plan, max_users_override as "maxUsersOverride" from tenants where id = $1
  for no key update`

function operatorNow(tenantId: string, entryKeys: EntryKeys): AuditSource {
  return {
    actor: { kind: 'operator', tenantId },
    request: { id: newId(), ip: '', userAgent: 'mandate operator' },
    now: new Date().toISOString(),
    services: { entryKeys },
  }
}

async function reachDatabase({
  databaseUrl,
  dataDir,
}: OperatorConfig): Promise<{ ownerUrl: string; appUrl: string } & AsyncDisposable> {
  const leave = { async [Symbol.asyncDispose]() {} }
  if (databaseUrl) return { ownerUrl: databaseUrl, appUrl: databaseUrl, ...leave }
  await access(join(dataDir, 'pg')).catch(() => {
    throw new Error(`there is no database in ${resolve(dataDir)}; set DATA_DIR or DATABASE_URL`)
  })
  for (const deadline = Date.now() + timeoutMs; ; await pause(200)) {
    const running = await connectEmbedded(dataDir)
    if (running) return { ...running, ...leave }
    try {
      const { ownerUrl, appUrl, stop } = await startEmbedded({ dataDir })
      return { ownerUrl, appUrl, [Symbol.asyncDispose]: stop }
    } catch (error) {
      // Another process is starting or stopping the embedded database, so the loop tries again.
      if (!(error instanceof EmbeddedInUse) || Date.now() > deadline) throw error
    }
  }
}
