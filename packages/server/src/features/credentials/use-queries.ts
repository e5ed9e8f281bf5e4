import type { CredentialKind } from '@mandate/contract/credentials'
import type { Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'
import type { CredentialConfig } from './rules.ts'

export interface SealedCredential {
  id: string
  name: string
  kind: CredentialKind
  config: CredentialConfig
  sealed: string
  version: number
}

/** Reads a credential of an environment with its sealed secret. It cannot be deleted until the transaction ends. */
export function lockForUse(tx: Tx, environmentId: string, name: string) {
  const text = `select id, name, kind, config, secret_sealed as sealed, version from credentials
    where tenant_id = $1 and environment_id = $2 and name = $3 for key share`
  return tx.maybe(raw<SealedCredential>(text, [tx.tenantId, environmentId, name]))
}

/** A fetch of a credential by an edge, for a server. `now` and `hour` are ISO 8601. */
export interface Use {
  credentialId: string
  edgeId: string
  server: string
  version: number
  hour: string
  now: string
}

const insertUse = `insert into credential_uses (tenant_id, credential_id, edge_id, server, version, audited_hour, used_at)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1 as is_new`
const lockUse = `select version, audited_hour as hour from credential_uses
  where tenant_id = $1 and credential_id = $2 and edge_id = $3 and server = $4 for no key update`
const updateUse = `update credential_uses set version = $5, audited_hour = $6, used_at = $7
  where tenant_id = $1 and credential_id = $2 and edge_id = $3 and server = $4`

/**
 * Stores a fetch. Returns `first` if the edge had not fetched the credential for the server, `new` if it had, but not this version in this
 * hour, and `repeated` otherwise.
 */
export async function storeUse(tx: Tx, use: Use): Promise<'first' | 'new' | 'repeated'> {
  const { credentialId, edgeId, server, version, hour, now } = use
  const key = [tx.tenantId, credentialId, edgeId, server]
  const values = [...key, version, hour, now]
  if (await tx.maybe(raw(insertUse, values))) return 'first'
  const before = await tx.one(raw<{ version: number; hour: string }>(lockUse, key))
  await tx.all(raw(updateUse, values))
  return before.version === version && before.hour === hour ? 'repeated' : 'new'
}

/** Locks a credential until the transaction ends, so that first fetches for further servers are counted one at a time. */
export async function lockToCount(tx: Tx, credentialId: string): Promise<void> {
  const text = 'select 1 from credentials where tenant_id = $1 and id = $2 for no key update'
  await tx.all(raw(text, [tx.tenantId, credentialId]))
}

/** Counts the servers for which an edge fetched a credential since a time. */
export async function countServers(tx: Tx, { credentialId, edgeId }: Use, since: string): Promise<number> {
  const text = `select count(*) as count from credential_uses
    where tenant_id = $1 and credential_id = $2 and edge_id = $3 and used_at > $4`
  return (await tx.one(raw<{ count: number }>(text, [tx.tenantId, credentialId, edgeId, since]))).count
}

const forget = `delete from credential_uses u using (
    select edge_id, server from credential_uses where tenant_id = $1 and credential_id = $2 and used_at < $3
    order by used_at limit 100 for update skip locked) old
  where u.tenant_id = $1 and u.credential_id = $2 and u.edge_id = old.edge_id and u.server = old.server`

/** Deletes fetches that are older than a time, at most 100. */
export async function forgetUses(tx: Tx, credentialId: string, before: string): Promise<void> {
  await tx.all(raw(forget, [tx.tenantId, credentialId, before]))
}

/** Notes on the credential that it was used, at most once a second, so that edges do not wait for one row. */
export async function noteLastUse(tx: Tx, credentialId: string, now: string): Promise<void> {
  const text = `update credentials set last_used_at = $3 where tenant_id = $1 and id = $2
    and (last_used_at is null or last_used_at < $3::timestamptz - interval '1 second')`
  await tx.all(raw(text, [tx.tenantId, credentialId, now]))
}

/** Returns the names of servers for which edges fetched a credential since a time, at most `limit`. */
export async function findServersSince(tx: Tx, credentialId: string, since: string, limit: number): Promise<string[]> {
  const text = `select distinct server from credential_uses where tenant_id = $1 and credential_id = $2 and used_at > $3
    order by server limit $4`
  const rows = await tx.all(raw<{ server: string }>(text, [tx.tenantId, credentialId, since, limit]))
  return rows.map(({ server }) => server)
}
