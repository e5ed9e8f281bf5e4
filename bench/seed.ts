import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { v7 } from 'uuid'

export interface SeededTenant {
  tenantId: string
  environmentId: string
  key: string
  agentIds: string[]
}

/** `tenants` tenants with one owner's API key each, and `agents` agents in all. */
export async function seed(ownerUrl: string, tenants: number, agents: number): Promise<SeededTenant[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const seeded: SeededTenant[] = []
  for (let index = 0; index < tenants; index++) seeded.push(await seedTenant(client, Math.ceil(agents / tenants)))
  await client.query('vacuum analyze')
  await client.end()
  return seeded
}

async function seedTenant(client: pg.Client, agents: number): Promise<SeededTenant> {
  const [tenantId, userId, keyId, environmentId] = [v7(), v7(), v7(), v7()]
  const key = `mk_${randomBytes(32).toString('hex')}`
  const hash = createHash('sha256').update(key).digest()
  await client.query('begin')
  await client.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'bench', 'enterprise', 'off', now())`,
    [tenantId],
  )
  await client.query(
    `insert into users (tenant_id, id, email, email_lower, role, status, created_at)
     values ($1, $2, $3, $3, 'owner', 'active', now())`,
    [tenantId, userId, `${userId}@example.com`],
  )
  await client.query(
    `insert into environments (tenant_id, id, name, slug, is_production, created_at) values ($1, $2, 'Production', 'production', true, now())`,
    [tenantId, environmentId],
  )
  await client.query(
    `insert into api_keys (tenant_id, id, created_by, name, key_prefix, key_hash, created_at) values ($1, $2, $3, 'bench', $4, $5, now())`,
    [tenantId, keyId, userId, key.slice(0, 8), hash],
  )
  await client.query(`insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'api_key', $2, $3)`, [
    hash,
    tenantId,
    keyId,
  ])
  const agentIds = Array.from({ length: agents }, () => v7())
  await client.query(
    `insert into agents (tenant_id, id, name, description, status, source, governance_state, lifecycle_status, environment_id,
       framework, model, tools, metadata, created_at, updated_at)
     select $1, id, 'agent ' || n, 'does a thing', 'active', 'runtime', 'governed', 'approved', $2, 'framework', 'model',
       '{mcp:files/read,mcp:files/write}', '{"team":"core"}', now(), now()
     from unnest($3::uuid[]) with ordinality as v (id, n)`,
    [tenantId, environmentId, agentIds],
  )
  await client.query('commit')
  return { tenantId, environmentId, key, agentIds: agentIds.slice(0, 200) }
}
