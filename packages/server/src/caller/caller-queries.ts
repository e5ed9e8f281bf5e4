import type { AccessScope, Role } from '@mandate/contract/words/roles'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { sessionLives } from '../sessions/live-session.ts'

export interface UserColumns {
  user_id: string
  account_id: string | null
  email: string
  display_name: string
  role: Role
  access_scope: AccessScope
  academy_only: boolean
  read_only: boolean
}

export interface KeyRow extends UserColumns {
  key_id: string
  prefix: string
  key_name: string
  scopes: string[]
  environment_id: string | null
}

/**
 * SQL condition: the API key in row `k` is live. `u` is the row of the user who created the key, and `now` is the SQL parameter
 * with the current time. A key that is bound to a deleted environment is not live.
 */
export const keyLives = (
  now: string,
) => `k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}) and u.status = 'active'
    and (k.environment_id is null or exists (
      select from environments e where e.tenant_id = k.tenant_id and e.id = k.environment_id))`

const liveKeys = (isWanted: string) => `
  select k.id as key_id, k.key_prefix as prefix, k.name as key_name, k.scopes, k.environment_id,
    u.id as user_id, u.account_id, u.email, u.display_name, u.role, u.access_scope, u.academy_only, u.read_only
  from api_keys k
  join users u on u.tenant_id = k.tenant_id and u.id = k.created_by
  where k.tenant_id = $1 and ${isWanted} and ${keyLives('$3')}`
const liveKey = liveKeys('k.id = $2')
const someLiveKeys = liveKeys('k.id = any($2::uuid[])')

/** Finds a live API key together with the user who created it. `now` is ISO 8601. */
export function findLiveKey(db: Sql, keyId: string, now: string) {
  return db.maybe(raw<KeyRow>(liveKey, [db.tenantId, keyId, now]))
}

/** Like `findLiveKey`, for many keys. Returns the live ones. */
export function findLiveKeys(db: Sql, keyIds: readonly string[], now: string) {
  return db.all(raw<KeyRow>(someLiveKeys, [db.tenantId, keyIds, now]))
}

const activeUsers = `
  select id as user_id, account_id, email, display_name, role, access_scope, academy_only, read_only
  from users where tenant_id = $1 and status = 'active'`
const liveUser = `${activeUsers} and id = $2 and account_id = $3`
const someActiveUsers = `${activeUsers} and id = any($2::uuid[])`

/** Like `findActiveUser`, for many users. Returns the active ones, with any account. */
export function findActiveUsers(db: Sql, userIds: readonly string[]) {
  return db.all(raw<UserColumns>(someActiveUsers, [db.tenantId, userIds]))
}

export function findActiveUser(db: Sql, userId: string, accountId: string) {
  return db.maybe(raw<UserColumns>(liveUser, [db.tenantId, userId, accountId]))
}

/** A row for the n-th of the given credentials, counted from 1. */
type Numbered<Row> = Row & { n: number }

const liveEdges = `
  select g.n::int as n, e.id, e.environment_id, e.name from unnest($2::uuid[]) with ordinality as g (id, n)
  join edges e on e.tenant_id = $1 and e.id = g.id and e.revoked_at is null`

export interface LiveEdge {
  id: string
  environment_id: string
  name: string
}

/** Finds edges that are not revoked. Returns them in the order of the ids. */
export async function findLiveEdges(db: Sql, ids: readonly string[]): Promise<(LiveEdge | undefined)[]> {
  return inOrder(ids.length, await db.all(raw<Numbered<LiveEdge>>(liveEdges, [db.tenantId, ids])))
}

const agentsWithKeys = `
  select g.n::int as n, a.id, a.name from unnest($2::uuid[], $3::bytea[]) with ordinality as g (id, key_hash, n)
  join agents a on a.tenant_id = $1 and a.id = g.id and a.key_hash = g.key_hash`

export interface AgentWithKey {
  id: string
  name: string
}

/** Finds each agent whose current key has the given digest. Returns the agents in the order of the keys. */
export async function findAgentsWithKeys(
  db: Sql,
  keys: readonly { agentId: string; keyDigest: Buffer }[],
): Promise<(AgentWithKey | undefined)[]> {
  const values = [db.tenantId, keys.map(({ agentId }) => agentId), keys.map(({ keyDigest }) => keyDigest)]
  return inOrder(keys.length, await db.all(raw<Numbered<AgentWithKey>>(agentsWithKeys, values)))
}

export interface Credential {
  kind: string
  tenantId: string
  id: string
}

const credentials = `
  select g.n::int as n, c.kind, c.tenant_id as "tenantId", c.id from unnest($1::bytea[]) with ordinality as g (hash, n)
  join credential_lookup c on c.hash = g.hash`

/**
 * Finds API keys, agent keys and edge keys by their digests. Returns the kind, the tenant and the id of each, in the order of the digests.
 * `db` must be `Database.global`, because the tenant is not known yet.
 */
export async function findCredentials(db: Sql, digests: readonly Buffer[]): Promise<(Credential | undefined)[]> {
  return inOrder(digests.length, await db.all(raw<Numbered<Credential>>(credentials, [digests])))
}

function inOrder<Row>(count: number, rows: readonly Numbered<Row>[]): (Row | undefined)[] {
  const found = new Array<Row | undefined>(count).fill(undefined)
  for (const { n, ...row } of rows) found[n - 1] = row as Row
  return found
}

/** Finds the user of an account. `db` must be `Database.global`, because the tenant is not known yet. */
export function findUserOfAccount(db: Sql, accountId: string) {
  const text = 'select tenant_id as "tenantId", user_id as "userId" from account_lookup where account_id = $1'
  return db.maybe(raw<{ tenantId: string; userId: string }>(text, [accountId]))
}

// Accepts an API key that is not revoked, and an API key that this transaction has revoked (`xmin` of its row is then the id of
// this transaction). Accepts a deleted key if its tenant is deleted too. For any other key, the check raises an error in the
// database. If the commit was sent together with the check, the commit then fails too.
const keyStillLives = `select case when coalesce(
    (select revoked_at is null or xmin = pg_current_xact_id()::xid from api_keys where tenant_id = $1 and id = $2 for share),
    not exists (select from tenants where id = $1)
  ) then true else refuse_key() end`

/** Makes the transaction fail with `keyRefused` if the key was revoked or deleted. */
export function failUnlessKeyLives(tx: Tx, keyId: string) {
  return tx.all(raw(keyStillLives, [tx.tenantId, keyId]))
}

/** The SQLSTATE of the error that `refuse_key` raises. */
export const keyRefused = 'MK401'

const sessionStillLives = `select case when coalesce((
    select true from sessions s where s.id = $1 and s.account_id = $2 and ${sessionLives('$3')} for share
  ), false) then true else refuse_session() end`

/** Makes the transaction fail with `sessionRefused` if the session has ended. */
export function failUnlessSessionLives(tx: Tx, sessionId: string | undefined, accountId: string | null, now: string) {
  return tx.all(raw(sessionStillLives, [sessionId ?? null, accountId, now]))
}

/** The SQLSTATE of the error that `refuse_session` raises. */
export const sessionRefused = 'MK402'
