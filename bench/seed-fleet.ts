import { createHash } from 'node:crypto'
import type pg from 'pg'
import { v7 } from 'uuid'
import { digest, insertEnvironment, insertKey, insertTenant, lookUp, newKey } from './seed-tenant.ts'

export interface Fleet {
  tenantId: string
  environmentId: string
  /** Where ten of the agents are. */
  rareEnvironmentId: string
  policyId: string
  /** Ten of the agents are under it. */
  rarePolicyId: string
  key: string
  edgeKey: string
  agentIds: string[]
}

export const rareAgents = 10

/**
 * A tenant whose agents are spread over every value that the list filters by: of the usual values many, of each rare value
 * ten, evenly over their ages. Written in bulk, past the API, by `client` of the owning role.
 */
export async function seedFleet(client: pg.Client, agents: number): Promise<Fleet> {
  const [policyId, rarePolicyId, edgeKey] = [v7(), v7(), newKey('ek')]
  await client.query('begin')
  const { tenantId, userId } = await insertTenant(client)
  const environmentId = await insertEnvironment(client, tenantId, 'Production')
  const rareEnvironmentId = await insertEnvironment(client, tenantId, 'Rare')
  const key = await insertKey(client, tenantId, userId)
  await client.query(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at) values ($1, $2, 'edge', $3, $4, $5, now())`,
    [tenantId, await lookUp(client, tenantId, edgeKey, 'edge'), environmentId, digest(edgeKey), edgeKey.slice(0, 8)],
  )
  for (const id of [policyId, rarePolicyId]) await insertPolicy(client, tenantId, id)
  const agentIds = Array.from({ length: agents }, () => v7())
  const step = Math.floor(agents / rareAgents)
  await client.query(insertAgents, [
    tenantId,
    agentIds,
    step,
    environmentId,
    rareEnvironmentId,
    policyId,
    rarePolicyId,
    userId,
  ])
  await client.query(insertAttestations, [tenantId, agentIds, step])
  await client.query(insertStats, [tenantId, agentIds, step])
  await client.query(insertLatest, [tenantId])
  await client.query('commit')
  return { tenantId, environmentId, rareEnvironmentId, policyId, rarePolicyId, key, edgeKey, agentIds }
}

/** Two versions of one content each, so that a beat may report either. */
async function insertPolicy(client: pg.Client, tenantId: string, id: string): Promise<void> {
  const hashes = [1, 2].map((version) => createHash('sha256').update(`${id} ${version}`).digest('hex'))
  await client.query(
    `insert into policies (tenant_id, id, name, version, content_hash, created_at, updated_at)
     values ($1, $2, 'policy', 2, $3, now(), now())`,
    [tenantId, id, hashes[1]],
  )
  for (const [at, hash] of hashes.entries()) {
    await client.query(
      `insert into policy_versions (tenant_id, policy_id, version, produced_by, saved_by, saved_at, change_summary,
         change_class, snapshot, content_hash)
       values ($1, $2, $3, 'updated', '{}', now(), '{}', 'neutral', '{"default_effect": "deny", "rules": []}', $4)`,
      [tenantId, id, at + 1, hash],
    )
  }
}

// The n-th agent is rare in the way that its place within a step of n says: each way has one agent a step, ten in all.
const insertAgents = `
  insert into agents (tenant_id, id, name, description, status, source, governance_state, lifecycle_status, environment_id,
    policy_id, owner_user_id, framework, model, tools, metadata, created_at, updated_at)
  select $1, id, case when n % $3::int = 1 then 'zebra ' else 'agent ' end || n, 'does a thing',
    case when n % $3::int = 2 then 'suspended' when n % $3::int = 3 then 'archived'
      when n % 10 = 9 then 'registered' else 'active' end,
    case when n % $3::int = 4 then 'snowflake' when n % 20 = 19 then 'github' else 'runtime' end,
    case when n % $3::int = 5 then 'suppressed' when n % 10 = 8 then 'discovered' else 'governed' end,
    case when n % $3::int = 6 then 'blocked' when n % 10 = 7 then 'proposed' else 'approved' end,
    case when n % $3::int = 11 then $5::uuid else $4::uuid end, case when n % $3::int = 12 then $7::uuid else $6::uuid end,
    case when n % $3::int = 13 then $8::uuid end,
    'framework', 'model', '{mcp:files/read,mcp:files/write}', '{"team":"core"}', now(), now()
  from unnest($2::uuid[]) with ordinality as v (id, n)`

// A fifth has no evidence, a fifth only a claim, a fifth only an observation; the rest is covered, but for the rare.
const insertAttestations = `
  insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
  select $1, id, 'full', '{mcp:files/read}', '{proxy}', '1.0.0',
    now() - case when n % $3::int = 15 then interval '1 hour' else interval '0' end
  from unnest($2::uuid[]) with ordinality as v (id, n) where n % 5 not in (1, 2) or n % $3::int in (15, 16)`

const insertStats = `
  insert into execution_stats (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated,
    unmediated_seen, reported_at)
  select $1, id, at - interval '1 minute', at, 10, 10, case when n % $3::int = 16 then 1 else 0 end, now()
  from unnest($2::uuid[]) with ordinality as v (id, n)
  cross join lateral (select now() - case when n % $3::int = 15 then interval '1 hour' else interval '0' end as at) t
  where n % 5 not in (1, 3) or n % $3::int in (15, 16)`

const insertLatest = `
  insert into agent_evidence (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated, unmediated_seen,
    reported_at)
  select tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated, unmediated_seen, reported_at
  from execution_stats where tenant_id = $1
  on conflict (tenant_id, agent_id) do update set window_start = excluded.window_start, window_end = excluded.window_end,
    actions_seen = excluded.actions_seen, actions_mediated = excluded.actions_mediated,
    unmediated_seen = excluded.unmediated_seen, reported_at = excluded.reported_at`
