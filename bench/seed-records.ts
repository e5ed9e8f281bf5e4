import type pg from 'pg'
import { v7 } from 'uuid'
import { countFilledDecisions } from '../packages/server/src/testing/count-filled-decisions.ts'
import { type Fleet, rareAgents } from './seed-fleet.ts'

export interface RecordCounts {
  entries: number
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
  await client.query(insertEntries, [tenantId, agentIds, counts.entries, userId])
  await client.query('commit')
}

/** Inserts decisions of the last 29 days, in a partition for each day, and counts them. */
export async function seedDecisions(client: pg.Client, fleet: Fleet, count: number): Promise<void> {
  const { tenantId, agentIds, edgeId, rareEdgeId, rareEnvironmentId, ruleId } = fleet
  for (const text of daysInPartitions) await client.query(text)
  for (const text of settingsForFilling) await client.query(text)
  const createIndexes = await dropIndexes(client, ['decision_records', 'decision_days', 'decision_agent_days'])
  const values = [tenantId, agentIds, count, edgeId, ruleId, rareEdgeId, rareEnvironmentId]
  await client.query(insertDecisions, values)
  await client.query('analyze decision_records')
  for (const text of countFilledDecisions) await client.query(text, [tenantId])
  for (const text of createIndexes) await client.query(text)
}

// They apply to the connection. The counts of millions of decisions are then grouped in memory.
const settingsForFilling = [
  `set synchronous_commit = off`,
  `set work_mem = '2GB'`,
  `set maintenance_work_mem = '1GB'`,
  'set jit = off',
]

/** Drops the indexes of tables, except primary keys. Returns the statements that create them again. */
async function dropIndexes(client: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; create: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as create from pg_index
     where indrelid = any($1::regclass[]) and not indisprimary`,
    [tables],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  // The definition names only the parent table; without `only` the index is created on each partition too.
  return rows.map(({ create }) => create.replace(' ON ONLY ', ' ON '))
}

// A new database has one partition for all days before its creation. A server that has run for a while has one for each day.
const daysInPartitions = [
  'drop table if exists decision_records_90_past, decision_hours_past',
  `select add_partition('decision_records', '90' || to_char(day, '"_"YYYYMMDD'), 90, day, day + interval '1 day'),
     add_partition('decision_hours', to_char(day, 'YYYYMMDD'), null, day, day + interval '1 day')
   from generate_series(date_trunc('day', now()) - interval '36 days', date_trunc('day', now()), interval '1 day') day`,
]

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

// An agent calls one tool four times in a row.
const insertDecisions = `
  insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id, edge_id, policy_id,
    policy_version, rule_id, tool, effect, mode, args_digest, duration_us)
  select $1, d.id, 90, uuid_extract_timestamp(d.id), uuid_extract_timestamp(d.id), uuid_extract_timestamp(d.id), a.id, a.environment_id,
    case when a.environment_id = $7 then $6::uuid else $4::uuid end, a.policy_id, 1, $5,
    'mcp:' || (array['files', 'mail', 'bank', 'crm', 'search'])[1 + run % 5] || '/' || (array['read', 'write', 'list', 'send'])[1 + run % 4],
    case when n % 300 = 0 then 'deny' when n % 1000 = 1 then 'require_approval' else 'allow' end, 'enforce', repeat('a', 64), 300
  from (select n, n / 4 as run, uuidv7(-(n::float8 / $3::float8) * interval '29 days') as id from generate_series(1, $3::int) n) d
  join (select id, environment_id, policy_id, row_number() over (order by id) - 1 as place from agents where tenant_id = $1 and id = any($2)) a
    on a.place = (d.run * 7919::bigint) % cardinality($2::uuid[])`

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
