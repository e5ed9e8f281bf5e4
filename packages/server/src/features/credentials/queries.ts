import type { Credential, CredentialKind, CredentialVersion } from '@mandate/contract/credentials'
import type { Member } from '../../authz/actor.ts'
import { environmentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { countBounded } from '../../db/lists/bounded-count.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import type { CredentialConfig } from './rules.ts'

const columns = [
  'credentials.id',
  'credentials.name',
  'credentials.kind',
  'credentials.environment_id',
  'credentials.config',
  'credentials.version',
  'credentials.created_by',
  'credentials.last_used_at',
  'credentials.created_at',
  'credentials.updated_at',
] as const

/** Selects the credentials of the environments that the actor has access to. */
const visible = (db: Sql, actor: Member) =>
  sql
    .selectFrom('credentials')
    .innerJoin('environments', (join) =>
      join
        .onRef('environments.tenant_id', '=', 'credentials.tenant_id')
        .onRef('environments.id', '=', 'credentials.environment_id'),
    )
    .where('credentials.tenant_id', '=', db.tenantId)
    .where(environmentVisibleTo(actor))

/** Returns one page of the credentials that the actor sees, sorted by name. */
export async function findCredentials(
  db: Sql,
  actor: Member,
  environmentId: string | undefined,
  { limit, offset }: { limit: number; offset: number },
) {
  const all = visible(db, actor)
  const seen = environmentId === undefined ? all : all.where('credentials.environment_id', '=', environmentId)
  const sorted = seen.select(columns).orderBy('credentials.name').orderBy('credentials.id')
  const [credentials, total] = await Promise.all([
    db.all(sorted.limit(limit).offset(offset)) as Promise<Credential[]>,
    countBounded(db, seen),
  ])
  return { credentials, total }
}

export function findCredential(db: Sql, actor: Member, id: string) {
  return db.maybe(visible(db, actor).select(columns).where('credentials.id', '=', id)) as Promise<
    Credential | undefined
  >
}

/** Like `findCredential`. Locks the row against other changes until the transaction ends; edges may read it. */
export function lockCredential(tx: Tx, actor: Member, id: string) {
  const found = visible(tx, actor).select(columns).where('credentials.id', '=', id)
  return tx.maybe(found.forNoKeyUpdate('credentials')) as Promise<Credential | undefined>
}

/** Like `lockCredential`. Also waits for edges that are reading the credential. */
export function lockForDeletion(tx: Tx, actor: Member, id: string) {
  const found = visible(tx, actor).select(columns).where('credentials.id', '=', id)
  return tx.maybe(found.forUpdate('credentials')) as Promise<Credential | undefined>
}

/** Counts the credentials of an environment. Others cannot be created there until the transaction ends. */
export async function lockAndCount(tx: Tx, environmentId: string): Promise<number> {
  const values = [tx.tenantId, environmentId]
  await tx.all(raw('select 1 from environments where tenant_id = $1 and id = $2 for no key update', values))
  const text = 'select count(*) as count from credentials where tenant_id = $1 and environment_id = $2'
  return (await tx.one(raw<{ count: number }>(text, values))).count
}

const raise = `insert into credential_names as n (tenant_id, environment_id, name, version) values ($1, $2, $3, 1)
  on conflict (tenant_id, environment_id, name) do update set version = n.version + 1 returning version`

/** Returns the next version of a name. Versions of a name never go back, even if its credential was deleted. */
export async function nextVersion(tx: Tx, environmentId: string, name: string): Promise<number> {
  return (await tx.one(raw<{ version: number }>(raise, [tx.tenantId, environmentId, name]))).version
}

export interface CredentialValues {
  id: string
  environmentId: string
  name: string
  kind: CredentialKind
  config: CredentialConfig
  sealed: string
  version: number
  createdBy: string
}

const returned = columns.map((column) => column.replace('credentials.', '')).join(', ')

/** Inserts a credential. Returns undefined if the name is taken in the environment. */
export function insertCredential(tx: Tx, values: CredentialValues, now: string) {
  const { id, environmentId, name, kind, config, sealed, version, createdBy } = values
  const text = `insert into credentials (tenant_id, id, environment_id, name, kind, config, secret_sealed, version, created_by,
      created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    on conflict (tenant_id, environment_id, name) do nothing returning ${returned}`
  return tx.maybe(
    raw<Credential>(text, [
      tx.tenantId,
      id,
      environmentId,
      name,
      kind,
      JSON.stringify(config),
      sealed,
      version,
      createdBy,
      now,
    ]),
  )
}

/** @throws PostgreSQL's unique violation if the name is taken */
export function storeCredential(
  tx: Tx,
  id: string,
  { name, config, version }: { name: string; config: CredentialConfig; version: number },
  now: string,
): Promise<Credential> {
  const text = `update credentials set name = $3, config = $4, version = $5, updated_at = $6 where tenant_id = $1 and id = $2
    returning ${returned}`
  return tx.one(raw<Credential>(text, [tx.tenantId, id, name, JSON.stringify(config), version, now]))
}

export function storeSecret(tx: Tx, id: string, sealed: string, version: number, now: string): Promise<Credential> {
  const text = `update credentials set secret_sealed = $3, version = $4, updated_at = $5 where tenant_id = $1 and id = $2
    returning ${returned}`
  return tx.one(raw<Credential>(text, [tx.tenantId, id, sealed, version, now]))
}

export async function deleteCredentialRow(tx: Tx, id: string): Promise<void> {
  await tx.all(raw('delete from credentials where tenant_id = $1 and id = $2', [tx.tenantId, id]))
}

/** Deletes the credentials of an environment and the versions of their names. Returns the credentials. */
export async function deleteCredentialRows(tx: Tx, environmentId: string): Promise<Credential[]> {
  const values = [tx.tenantId, environmentId]
  const gone = `delete from credentials where tenant_id = $1 and environment_id = $2 returning ${returned}`
  const credentials = await tx.all(raw<Credential>(gone, values))
  await tx.all(raw('delete from credential_names where tenant_id = $1 and environment_id = $2', values))
  return credentials
}

const everHad = 'select 1 from credential_names where tenant_id = $1 and environment_id = $2 limit 1'
const versions = 'select name, version from credentials where tenant_id = $1 and environment_id = $2 order by name'

/**
 * Returns the names and versions of the credentials of an environment, at most 200. Returns undefined if the environment never had a
 * credential.
 */
export async function findVersions(db: Sql, environmentId: string): Promise<CredentialVersion[] | undefined> {
  const values = [db.tenantId, environmentId]
  const [hadOne, found] = await Promise.all([
    db.maybe(raw(everHad, values)),
    db.all(raw<CredentialVersion>(versions, values)),
  ])
  return hadOne ? found : undefined
}

/** Returns the tenant's sealed secrets. */
export function findSealedSecrets(db: Sql) {
  const text = 'select id, secret_sealed as sealed from credentials where tenant_id = $1 order by id'
  return db.all(raw<{ id: string; sealed: string }>(text, [db.tenantId]))
}

/** Replaces the sealed secret `old` by `sealed`, unless another request has stored a different secret in the meantime. */
export async function replaceSealedSecret(tx: Tx, id: string, old: string, sealed: string): Promise<void> {
  const text = 'update credentials set secret_sealed = $4 where tenant_id = $1 and id = $2 and secret_sealed = $3'
  await tx.all(raw(text, [tx.tenantId, id, old, sealed]))
}
