import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { v7 } from 'uuid'

/** Inserts a tenant and its owner without the API. `client` must connect as the owner role. */
export async function insertTenant(client: pg.Client): Promise<{ tenantId: string; userId: string }> {
  const tenantId = v7()
  await client.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'bench', 'enterprise', 'off', now())`,
    [tenantId],
  )
  return { tenantId, userId: await insertUser(client, tenantId, 'owner', 'all') }
}

/** Inserts a scoped member and returns the user id. */
export function insertScopedMember(client: pg.Client, tenantId: string): Promise<string> {
  return insertUser(client, tenantId, 'member', 'scoped')
}

async function insertUser(client: pg.Client, tenantId: string, role: string, accessScope: string): Promise<string> {
  const id = v7()
  await client.query(
    `insert into users (tenant_id, id, email, email_lower, role, access_scope, status, created_at)
     values ($1, $2, $3, $3, $4, $5, 'active', now())`,
    [tenantId, id, `${id}@example.com`, role, accessScope],
  )
  return id
}

export async function insertEnvironment(client: pg.Client, tenantId: string, name: string): Promise<string> {
  const id = v7()
  await client.query(
    `insert into environments (tenant_id, id, name, slug, is_production, created_at)
     values ($1, $2, $3, lower($3), $3 = 'Production', now())`,
    [tenantId, id, name],
  )
  return id
}

/** Inserts an API key of a user, bound to the environment if given. Returns the key itself. */
export async function insertKey(
  client: pg.Client,
  tenantId: string,
  userId: string,
  environmentId: string | null = null,
): Promise<string> {
  const key = newKey('mk')
  const id = await lookUp(client, tenantId, key, 'api_key')
  await client.query(
    `insert into api_keys (tenant_id, id, created_by, name, key_prefix, key_hash, environment_id, created_at)
     values ($1, $2, $3, 'bench', $4, $5, $6, now())`,
    [tenantId, id, userId, key.slice(0, 8), digest(key), environmentId],
  )
  return key
}

export const newKey = (kind: 'mk' | 'ek') => `${kind}_${randomBytes(32).toString('hex')}`
export const digest = (key: string) => createHash('sha256').update(key).digest()

/** Inserts a key's hash into the credential look-up. Returns the id that the caller must use for the credential's row. */
export async function lookUp(client: pg.Client, tenantId: string, key: string, kind: string): Promise<string> {
  const id = v7()
  await client.query('insert into credential_lookup (hash, kind, tenant_id, id) values ($1, $2, $3, $4)', [
    digest(key),
    kind,
    tenantId,
    id,
  ])
  return id
}
