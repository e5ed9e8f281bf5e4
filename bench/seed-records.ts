import type pg from 'pg'
import { v7 } from 'uuid'
import { type Fleet, rareAgents } from './seed-fleet.ts'

export interface RecordCounts {
  entries: number
  decisions: number
  approvals: number
  policies: number
}

/**
 * Inserts 30 days of records, with ten rows of each rare value: findings and reviews of all agents outside the sparse environment,
 * approvals, recorded decisions, audit entries and policies. Inserts in bulk, without the API.
 */
export async function seedRecords(client: pg.Client, fleet: Fleet, counts: RecordCounts): Promise<void> {
  const { tenantId, agentIds, sparseEnvironmentId, policyId, userId } = fleet
  const ofAgents = [tenantId, sparseEnvironmentId]
  await client.query('begin')
  await client.query(insertPolicies, [tenantId, Array.from({ length: counts.policies }, () => v7())])
  await client.query(insertFindings, ofAgents)
  await client.query(insertReviews, ofAgents)
  await client.query(insertApprovals, [...ofAgents, counts.approvals, policyId])
  await client.query(insertDecisions, [tenantId, agentIds, counts.decisions])
  await client.query(insertEntries, [tenantId, agentIds, counts.entries, userId])
  await client.query('commit')
}

/** SQL for a UUIDv7 whose time is in the last 30 days: the n-th of `count` evenly spaced times. */
const idAt = (n: string, count: string) =>
  `uuidv7((${n}::float8 / ${count}::float8 - 1) * interval '30 days' - interval '1 minute')`

const insertPolicies = `
  with p as (
    insert into policies (tenant_id, id, name, version, content_hash, created_at, updated_at)
    select $1::uuid, id, 'policy ' || n, 1, '', now(), now() from unnest($2::uuid[]) with ordinality v (id, n) returning id)
  insert into policy_rules (tenant_id, id, policy_id, name, priority, effect, match)
  select $1, uuidv7(), id, 'reading', 1, 'allow', '{"tools": ["mcp:files/read"], "when": []}' from p`

const numbered = `select a.id as agent_id, a.environment_id, row_number() over (order by a.id) as n, count(*) over () as total
  from agents a where a.tenant_id = $1 and a.environment_id <> $2`

// Each agent gets two closed findings and an open finding, of types that do not change its coverage.
const insertFindings = `
  insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at, closed_at)
  select $1, ${idAt('(k - 1) * a.total + a.n', '(3 * a.total)')}, agent_id, environment_id,
    case when k = 2 and n % (total / ${rareAgents}) = 1 then 'unapproved_running' when k = 3 then 'policy_drift_unapproved'
      else 'evidence_stale' end,
    'medium', case when k = 3 then 'open' else 'closed' end, '{"version": 2}', 'resolve its change review', now(), now()
  from (${numbered}) a cross join generate_series(1, 3) k order by k, n`

const insertReviews = `
  insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, opened_at, resolved_at)
  select $1, ${idAt('a.n', 'a.total')}, agent_id, environment_id, case when n % 2 = 1 then 'onboarding' else 'change' end,
    case when n % (total / ${rareAgents}) = 1 then 'pending' else 'approved' end, 'manager', now(), now()
  from (${numbered}) a`

// Ten pending approvals have expired, but no job has updated their status yet.
const insertApprovals = `
  insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash, reason,
    request_hash, status, assigned_role, requested_at, expires_at)
  select $1, r.id, ids[1 + r.n % cardinality(ids)], environment_ids[1 + r.n % cardinality(ids)], 'mcp:files/write', '', $4, 1, '', '', '',
    case when step = 1 then 'rejected' when step = 2 then 'pending' when r.n % 20 = 3 then 'expired'
      when r.n > $3::int - $3::int / 50 then 'pending' else 'consumed' end,
    'manager', uuid_extract_timestamp(r.id),
    case when step = 2 then uuid_extract_timestamp(r.id) else now() end + interval '1 day'
  from (select n, n % ($3::int / ${rareAgents}) as step, ${idAt('n', '$3')} as id from generate_series(1, $3::int) n) r
  cross join (select array_agg(a.id) as ids, array_agg(a.environment_id) as environment_ids
    from agents a where a.tenant_id = $1 and a.environment_id <> $2) a`

const insertDecisions = `
  insert into decisions (tenant_id, decision_id, agent_id, tool, effect, mode, policy_version, args_digest, at, received_at)
  select $1, gen_random_uuid(), ($2::uuid[])[1 + n % cardinality($2::uuid[])], 'mcp:files/' || (array['read', 'write', 'list'])[1 + n % 3],
    (array['allow', 'deny', 'require_approval'])[1 + n % 3], 'enforce', 1, '', at, at
  from (select n, now() - (n::float8 / $3::float8) * interval '29 days' as at from generate_series(1, $3::int) n) d`

const insertEntries = `
  insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_user_id, actor_name, actor_email,
    resource_type, resource_id, resource_name, agent_id, details, request_id, ip, user_agent, created_at)
  select $1, id, case when n % 4 = 1 then 'edge' else 'control_plane' end,
    case when step = 1 then 'agent.archived' when n % 4 = 1 then 'finding.opened' else 'agent.updated' end, 'agent',
    case when step = 2 then 'person' else 'api_key' end, case when step = 2 then $4::uuid end, 'Ada', 'ada@example.com',
    case when step = 3 then 'platform' when n % 4 = 1 then 'finding' else 'agent' end, agent_id, 'agent', agent_id,
    '{"policy_id": null, "lifecycle_status": "approved"}', '', '192.0.2.1', 'bench', uuid_extract_timestamp(id)
  from (select n, n % ($3::int / ${rareAgents}) as step, ${idAt('n', '$3')} as id,
    ($2::uuid[])[1 + n % cardinality($2::uuid[])] as agent_id from generate_series(1, $3::int) n) e`
