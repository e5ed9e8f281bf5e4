import { createHash } from 'node:crypto'
import type pg from 'pg'
import { v7 } from 'uuid'
import {
  digest,
  insertEnvironment,
  insertKey,
  insertScopedMember,
  insertTenant,
  lookUp,
  newKey,
} from './seed-tenant.ts'

export interface Fleet {
  tenantId: string
  /** Id of the owner. */
  userId: string
  environmentId: string
  /** The environment of ten of the agents. */
  rareEnvironmentId: string
  /** The environment of a tenth of the agents. */
  sparseEnvironmentId: string
  policyId: string
  /** The policy of ten of the agents. */
  rarePolicyId: string
  key: string
  /** API keys that are bound to the environments. */
  boundKey: string
  rareBoundKey: string
  sparseBoundKey: string
  /** API key of a user who sees ten of the agents. */
  scopedKey: string
  /** API key of a user who sees one agent in 250. */
  wideScopedKey: string
  edgeKey: string
  edgeId: string
  /** The edge that sent the decisions in the rare environment. */
  rareEdgeId: string
  /** A rule of the policy. */
  ruleId: string
  agentIds: string[]
}

export const rareAgents = 10

/**
 * Creates a tenant whose agents have every value that the list filters by. Common values have many agents; each rare value has ten,
 * spread evenly by age. In a `quiet` tenant almost no agent has evidence, otherwise almost every agent has evidence.
 * @param client connection of the owner role, which inserts the rows in bulk without the API
 */
export async function seedFleet(client: pg.Client, agents: number, { quiet = false } = {}): Promise<Fleet> {
  const [policyId, rarePolicyId, edgeKey] = [v7(), v7(), newKey('ek')]
  await client.query('begin')
  const { tenantId, userId } = await insertTenant(client)
  const scopedUserId = await insertScopedMember(client, tenantId)
  const wideScopedUserId = await insertScopedMember(client, tenantId)
  const environmentId = await insertEnvironment(client, tenantId, 'Usual')
  const rareEnvironmentId = await insertEnvironment(client, tenantId, 'Rare')
  const sparseEnvironmentId = await insertEnvironment(client, tenantId, 'Sparse')
  const key = await insertKey(client, tenantId, userId)
  const boundKey = await insertKey(client, tenantId, userId, environmentId)
  const rareBoundKey = await insertKey(client, tenantId, userId, rareEnvironmentId)
  const sparseBoundKey = await insertKey(client, tenantId, userId, sparseEnvironmentId)
  const scopedKey = await insertKey(client, tenantId, scopedUserId)
  const wideScopedKey = await insertKey(client, tenantId, wideScopedUserId)
  const edgeId = await insertEdge(client, tenantId, environmentId, edgeKey)
  const rareEdgeId = await insertEdge(client, tenantId, rareEnvironmentId, newKey('ek'))
  for (const id of [policyId, rarePolicyId]) await insertPolicy(client, tenantId, id)
  const agentIds = Array.from({ length: agents }, () => v7())
  const step = Math.floor(agents / rareAgents)
  const states = agentIds.map((_, at) => coverageOf(at + 1, step, quiet))
  const values = [environmentId, rareEnvironmentId, policyId, rarePolicyId, userId, sparseEnvironmentId]
  await client.query(insertAgents, [tenantId, agentIds, states, step, ...values])
  // With statistics of a smaller fleet, PostgreSQL would join the new rows in a nested loop.
  await client.query('analyze agents')
  await client.query(insertGrants, [tenantId, agentIds, step, 10, scopedUserId])
  await client.query(insertGrants, [tenantId, agentIds, 250, 8, wideScopedUserId])
  await client.query(insertAttestations, [tenantId, agentIds, states])
  await client.query(insertStats, [tenantId, agentIds, states])
  await client.query('analyze agents, agent_evidence, execution_stats')
  await client.query(insertLatest, [tenantId])
  await client.query(insertRuntime, [tenantId, agentIds, policyId, step])
  await client.query('commit')
  const keys = { key, boundKey, rareBoundKey, sparseBoundKey, scopedKey, wideScopedKey, edgeKey, ruleId: v7() }
  const environments = { environmentId, rareEnvironmentId, sparseEnvironmentId }
  return { tenantId, userId, ...environments, edgeId, rareEdgeId, policyId, rarePolicyId, ...keys, agentIds }
}

async function insertEdge(client: pg.Client, tenantId: string, environmentId: string, key: string): Promise<string> {
  const id = await lookUp(client, tenantId, key, 'edge')
  await client.query(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at)
     values ($1, $2::uuid, 'edge ' || ($2::uuid)::text, $3, $4, $5, now())`,
    [tenantId, id, environmentId, digest(key), key.slice(0, 8)],
  )
  return id
}

const rareStates = new Map([
  [14, 'covered'],
  [15, 'stale'],
  [16, 'partial'],
  [17, 'unknown'],
  [20, 'claimed'],
  [19, 'observed'],
])

/** The execution coverage that the evidence of the n-th agent must give. */
function coverageOf(n: number, step: number, quiet: boolean): string {
  const usual = quiet ? 'unknown' : (['covered', 'observed', 'claimed'][n % 3] as string)
  return rareStates.get(n % step) ?? usual
}

/** Inserts a policy with two versions, so that a heartbeat can report either. */
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

// The remainder of n modulo the step ($4) selects the rare value of an agent. There are ten steps, so each rare value has ten agents.
const insertAgents = `
  insert into agents (tenant_id, id, name, description, status, source, governance_state, lifecycle_status, environment_id,
    policy_id, owner_user_id, framework, model, tools, metadata, has_evidence, created_at, updated_at)
  select $1, id, case when n % $4::int = 1 then 'zebra ' when n % 100 = 7 then 'lynx ' when n % 25 = 3 then 'panda '
      else 'agent ' end || n, 'does a thing',
    case when n % $4::int = 2 then 'suspended' when n % $4::int = 3 then 'archived'
      when n % 10 = 9 then 'registered' else 'active' end,
    case when n % $4::int = 4 then 'snowflake' when n % 20 = 19 then 'github' else 'runtime' end,
    case when n % $4::int = 5 then 'suppressed' when n % 10 = 8 then 'discovered' else 'governed' end,
    case when n % $4::int = 6 then 'blocked' when n % 10 = 7 then 'proposed' else 'approved' end,
    case when n % $4::int = 11 then $6::uuid when n % 10 = 4 then $10::uuid else $5::uuid end,
    case when n % $4::int = 12 then $8::uuid else $7::uuid end,
    case when n % $4::int = 13 then $9::uuid end,
    'framework', 'model', '{mcp:files/read,mcp:files/write}', '{"team":"core"}', state <> 'unknown', now(), now()
  from unnest($2::uuid[], $3::text[]) with ordinality as v (id, state, n)`

const insertGrants = `
  insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
  select $1, uuidv7(), $5, id, now() from unnest($2::uuid[]) with ordinality as v (id, n) where n % $3::int = $4::int`

// Ten agents are late, ten drift, and ten have an open finding by which lists sort. Every tenth agent never sent a heartbeat.
const insertRuntime = `
  with sent as (
    insert into agent_runtime (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version, running_hash, reported_at,
      heartbeat_slot)
    select $1, id, at, $3, 2, 'running', at, date_bin('10 minutes', at, '2000-01-01T00:00:00Z'::timestamptz)
    from unnest($2::uuid[]) with ordinality as v (id, n)
    cross join lateral (select now() - case when n % $4::int = 21 then interval '1 hour' else interval '-1 day' end as at) t
    where n % 10 <> 9)
  update agents a set heard = n % 10 <> 9, attention = case when n % $4::int = 23 then n else attention end,
    approved_policy_id = case when n % $4::int = 22 then $3::uuid end, approved_hash = case when n % $4::int = 22 then 'other' end,
    drift_state = case when n % $4::int = 22 then 'true' else 'unknown' end,
    framework = case when n % $4::int = 23 then 'rare' when n % 3 = 0 then 'other' else 'framework' end
  from unnest($2::uuid[]) with ordinality as v (id, n) where a.tenant_id = $1 and a.id = v.id`

// Evidence has a timestamp of tomorrow, so that it does not become stale during the benchmark.
const insertAttestations = `
  insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at,
    environment_id, is_archived)
  select $1, v.id, 'full', '{mcp:files/read}', '{proxy}', '1.0.0',
    now() + case state when 'stale' then interval '-1 hour' else interval '1 day' end, a.environment_id,
    a.status = 'archived'
  from unnest($2::uuid[], $3::text[]) as v (id, state) join agents a on a.tenant_id = $1 and a.id = v.id
  where state in ('claimed', 'covered', 'partial', 'stale')`

const insertStats = `
  insert into execution_stats (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated,
    unmediated_seen, reported_at)
  select $1, id, at - interval '1 minute', at, 10, 10, case state when 'partial' then 1 else 0 end, now()
  from unnest($2::uuid[], $3::text[]) as v (id, state)
  cross join lateral (select now() + case state when 'stale' then interval '-1 hour' else interval '1 day' end as at) t
  where state in ('observed', 'covered', 'partial', 'stale')`

const insertLatest = `
  insert into agent_evidence (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated, unmediated_seen,
    reported_at, environment_id, is_archived)
  select s.tenant_id, s.agent_id, s.window_start, s.window_end, s.actions_seen, s.actions_mediated, s.unmediated_seen,
    s.reported_at, a.environment_id, a.status = 'archived'
  from execution_stats s join agents a on a.tenant_id = $1 and a.id = s.agent_id where s.tenant_id = $1
  on conflict (tenant_id, agent_id) do update set window_start = excluded.window_start, window_end = excluded.window_end,
    actions_seen = excluded.actions_seen, actions_mediated = excluded.actions_mediated,
    unmediated_seen = excluded.unmediated_seen, reported_at = excluded.reported_at`
