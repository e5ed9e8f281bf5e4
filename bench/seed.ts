import pg from 'pg'
import { v7 } from 'uuid'
import { insertEnvironment, insertKey, insertTenant } from './seed-tenant.ts'

export interface SeededTenant {
  tenantId: string
  environmentId: string
  key: string
  agentIds: string[]
}

/** Creates tenants with one owner's API key each, and `agents` agents in total. */
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
  await client.query('begin')
  const { tenantId, userId } = await insertTenant(client)
  const environmentId = await insertEnvironment(client, tenantId, 'Production')
  const key = await insertKey(client, tenantId, userId)
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
