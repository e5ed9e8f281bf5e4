import { createHash } from 'node:crypto'
import type pg from 'pg'
import { v7 } from 'uuid'
import type { Fleet } from './seed-fleet.ts'

/** What a person opens about tools, freezes and delegations. */
export interface GuardIds {
  toolId: string
  /** A drill of the organization that edges still confirm, so its counts are read from the instances. */
  drillId: string
  liftedFreezeId: string
}

export interface GuardCounts {
  tools: number
  delegations: number
  credentials: number
  patterns: number
}

/**
 * Inserts running instances of all agents that send heartbeats, a freeze that was lifted and a drill that a tenth of the instances confirmed,
 * and the tools, delegations, credentials and content patterns of the tenant. Inserts in bulk, without the API.
 */
export async function seedGuard(client: pg.Client, fleet: Fleet, counts: GuardCounts): Promise<GuardIds> {
  const { tenantId, environmentId, userId, agentIds } = fleet
  const [drillId, liftedFreezeId] = [v7(), v7()]
  await client.query('begin')
  await client.query(insertInstances, [tenantId, agentIds])
  await client.query(insertFreezes, [tenantId, userId, liftedFreezeId, drillId, agentIds.length])
  await client.query(insertConfirmations, [tenantId, drillId])
  const toolIds = Array.from({ length: counts.tools }, () => v7())
  const definitions = toolIds.map((_, n) => definitionOf(n))
  const hashes = definitions.map((text) => createHash('sha256').update(text).digest('hex'))
  await client.query(insertInventory, [tenantId, environmentId, counts.tools, definitions.join('').length])
  await client.query(insertTools, [tenantId, environmentId, toolIds, hashes])
  await client.query(insertDefinitions, [tenantId, toolIds, hashes, definitions])
  await client.query(insertReports, [tenantId, toolIds, hashes, fleet.edgeId])
  await client.query(insertDelegations, [tenantId, agentIds, userId, counts.delegations])
  await client.query(insertCredentials, [tenantId, environmentId, userId, counts.credentials])
  await client.query(insertPatterns, [tenantId, counts.patterns])
  await client.query('commit')
  return { toolId: toolIds[Math.floor(counts.tools / 2)] as string, drillId, liftedFreezeId }
}

/** A definition of about 600 characters, as servers declare them. */
const definitionOf = (n: number): string =>
  JSON.stringify({
    name: `tool ${n}`,
    description: `Reads the record ${n}. ${'It returns the fields that the caller may see. '.repeat(8)}`,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, fields: { type: 'array' } },
      required: ['id'],
    },
    annotations: { readOnlyHint: n % 2 === 0, openWorldHint: false },
  })

// Heartbeats have a timestamp of tomorrow, so that no instance becomes silent during the benchmark.
const insertInstances = `
  insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id, started_at)
  select $1, a.id, 'own', 1, now() + interval '1 day', 1, a.environment_id, now() - interval '1 day'
  from unnest($2::uuid[]) v (id) join agents a on a.tenant_id = $1 and a.id = v.id where a.heard and a.status <> 'archived'`

const insertFreezes = `
  insert into freezes (tenant_id, id, scope, target_id, name, reason, drill, agents, created_by, created_at, audit_entry_id, lifted_by,
    lifted_at, lift_reason, is_open, edges_total, edges_confirmed, edges_unreachable, confirmed_all_at)
  select $1, id, 'organization', $1, 'bench', 'a test of the stop', drill, least($5::int, 10000), $2::uuid, at, uuidv7(), 
    case when not drill then $2::uuid end, case when not drill then at + interval '1 hour' end, case when not drill then 'over' end, drill,
    least($5::int, 10000), case when not drill then least($5::int, 10000) end, case when not drill then 0 end,
    case when not drill then at + interval '1 second' end
  from (select case n when 1 then $4::uuid when 2 then $3::uuid else uuidv7(-n * interval '1 day') end as id, n = 1 as drill,
    now() - n * interval '1 hour' as at from generate_series(1, 60) n) f`

const insertConfirmations = `
  insert into freeze_confirmations (tenant_id, freeze_id, credential_id, instance_id, agent_id, environment_id, said_at, received_at, after_ms)
  select $1, $2, credential_id, instance_id, credential_id, environment_id, now(), now(), 400
  from (select *, row_number() over (order by credential_id) as n from edge_instances where tenant_id = $1) i where n % 10 = 0`

const insertInventory =
  'insert into tool_inventories (tenant_id, environment_id, version, tools, bytes) values ($1, $2, 1, $3, $4)'

const insertTools = `
  insert into tools (tenant_id, id, environment_id, tool, server, name, title, description, latest_hash, pins, labels, changed_in,
    first_seen_at, last_seen_at)
  select $1, id, $2, 'mcp:' || server || '/' || name, server, name, 'Tool ' || n, 'Reads the record ' || n, hash,
    case when n % 4 = 0 then array[hash] when n % 100 = 1 then array['another'] else '{}' end,
    case when n % 3 = 0 then '{untrusted_output}'::text[] else '{destructive}' end, 1, now() - interval '20 days', now() + interval '1 day'
  from (select id, hash, n, case when n <= 20 then (array['files', 'mail', 'bank', 'crm', 'search'])[1 + n % 5] else 'server' || n / 50 end
      as server, case when n <= 20 then (array['read', 'write', 'list', 'send'])[1 + n % 4] else 'tool' || n end as name
    from unnest($3::uuid[], $4::text[]) with ordinality v (id, hash, n)) t`

const insertDefinitions = `
  insert into tool_definitions (tenant_id, tool_id, hash, definition, warnings, first_seen_at, last_seen_at)
  select $1, id, hash, text, case when n % 50 = 0 then '[{"type": "hidden_characters", "where": "/description", "detail": "U+200B"}]'::jsonb
    else '[]' end, now() - interval '20 days', now() + interval '1 day'
  from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality v (id, hash, text, n)`

const insertReports = `
  insert into tool_reports (tenant_id, tool_id, reporter_id, declared_for, hash, reported_at)
  select $1, id, $4::uuid, $4::uuid, hash, now() + interval '1 day' from unnest($2::uuid[], $3::text[]) v (id, hash)`

const insertDelegations = `
  insert into delegations (tenant_id, id, root_id, ancestors, depth, environment_id, agent_id, subject_user_id, chain, tools, created_by,
    created_at, expires_at)
  select $1, d.id, d.id, '{}', 1, a.environment_id, a.id, $3, '[]', '{mcp:files/*}', $3, now(), now() + interval '1 day'
  from (select n, uuidv7() as id, ($2::uuid[])[1 + (n * 7919::bigint) % cardinality($2::uuid[])] as agent_id
    from generate_series(1, $4::int) n) d
  join agents a on a.tenant_id = $1 and a.id = d.agent_id`

const insertCredentials = `
  insert into credentials (tenant_id, id, environment_id, name, kind, secret_sealed, version, created_by, created_at, updated_at)
  select $1, uuidv7(), $2, 'secret-' || n, 'bearer', '', 1, $3, now(), now() from generate_series(1, $4::int) n`

const insertPatterns = `
  insert into content_patterns (tenant_id, id, name, group_name, kind, words, created_at)
  select $1, uuidv7(), 'pattern ' || n, 'own', 'words', '{confidential}', now() from generate_series(1, $2::int) n`
