import pg from 'pg'
import { connectEmbedded } from '../../packages/embedded-postgres/src/connect-embedded.ts'
import { countFilledDecisions } from '../../packages/server/src/testing/count-filled-decisions.ts'
import { newOrganization, type Organization } from './tenant.ts'

/** How many rows of each kind the organization has. */
export interface Sizes {
  agents: number
  policies: number
  decisions: number
  entries: number
  people: number
  edges: number
  /** Findings, reviews, calls that wait, tools and keys. */
  others: number
}

/** Makes an organization and fills it with rows, without the API: that would take minutes. */
export async function largeOrganization(sizes: Sizes): Promise<Organization> {
  const organization = await newOrganization()
  const database = await connectEmbedded(process.env.MANDATE_BROWSER_DATA as string)
  if (!database) throw new Error('the database of the tests does not run')
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`set local synchronous_commit = off`)
    for (const [text, size] of statements) await client.query(text, [organization.id, sizes[size]])
    // Lists look first at how many decisions a day has.
    for (const text of countFilledDecisions) await client.query(text, [organization.id])
    await client.query('commit')
    await client.query('analyze agents, policies, decision_records, audit_entries, findings, reviews, tools, users')
  } finally {
    await client.end()
  }
  return organization
}

// $1 is the id of the organization, $2 the number of rows. Each list has a common and a rare value of each filter.
const environment = `(select id from environments where tenant_id = $1 and slug = 'production')`
const owner = `(select id from users where tenant_id = $1 and role = 'owner' order by id limit 1)`
const policy = `(select id from policies where tenant_id = $1 order by id limit 1)`
/** The agents in an order of their own, so that neighbours in a list have different agents. */
const placed = `(select id, row_number() over (order by id) as place from agents where tenant_id = $1) a`
// With the count as a column of the agents, PostgreSQL could only compare each row with each agent.
const ofAgents = `join ${placed} on a.place = 1 + (n * 7919::bigint) % (select count(*) from agents where tenant_id = $1)`
const statements: [text: string, size: keyof Sizes][] = [
  [
    `insert into policies (tenant_id, id, name, version, content_hash, created_at, updated_at)
     select $1, uuidv7(), 'Desk ' || lpad(n::text, 5, '0'), 1, repeat('a', 64), now(), now() from generate_series(1, $2::int) n`,
    'policies',
  ],
  [
    `insert into agents (tenant_id, id, name, description, status, source, governance_state, lifecycle_status, environment_id,
       policy_id, framework, model, tools, metadata, created_at, updated_at)
     select $1, uuidv7(), 'agent ' || lpad(n::text, 5, '0'), '', case when n % 50 = 0 then 'suspended' else 'active' end,
       'runtime', 'governed', case when n % 10 = 0 then 'proposed' else 'approved' end, ${environment},
       ${policy}, 'custom', 'large', '{mcp:crm/get}', '{}', now(), now()
     from generate_series(1, $2::int) n`,
    'agents',
  ],
  [
    `insert into users (tenant_id, id, email, email_lower, display_name, role, access_scope, status, created_at)
     select $1, uuidv7(), m, m, 'Person ' || lpad(n::text, 4, '0'), case when n % 20 = 0 then 'manager' else 'member' end, 'all', 'active', now()
     from generate_series(1, $2::int) n cross join lateral (select 'person-' || n || '-' || $1::uuid || '@norrvik.example' as m) mail`,
    'people',
  ],
  [
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at)
     select $1, uuidv7(), 'edge ' || lpad(n::text, 4, '0'), ${environment}, sha256(($1::uuid::text || ' edge ' || n)::bytea), 'ek_large', now()
     from generate_series(1, $2::int) n`,
    'edges',
  ],
  [
    `insert into api_keys (tenant_id, id, created_by, name, key_prefix, key_hash, created_at)
     select $1, uuidv7(), ${owner}, 'key ' || lpad(n::text, 4, '0'), 'mk_large', sha256(($1::uuid::text || ' key ' || n)::bytea), now()
     from generate_series(1, $2::int) n`,
    'others',
  ],
  [
    `with made as (
       insert into tools (tenant_id, id, environment_id, tool, server, name, latest_hash, changed_in, first_seen_at, last_seen_at)
       select $1, uuidv7(), ${environment}, 'mcp:large/tool-' || n, 'large', 'tool-' || n, repeat('a', 64), 1, now(), now()
       from generate_series(1, $2::int) n returning id)
     insert into tool_definitions (tenant_id, tool_id, hash, definition, first_seen_at, last_seen_at)
     select $1, id, repeat('a', 64), '{"name":"tool"}', now(), now() from made`,
    'others',
  ],
  [
    `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
     select $1, uuidv7(), id, ${environment}, 'evidence_stale', case when place % 10 = 0 then 'high' else 'medium' end, 'open', '{}', 'Start its edge.', now()
     from ${placed} where place <= $2`,
    'others',
  ],
  [
    `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, opened_at)
     select $1, uuidv7(), id, ${environment}, case when place % 10 = 0 then 'attestation' else 'onboarding' end, 'pending', 'manager', now()
     from ${placed} where place <= $2`,
    'others',
  ],
  [
    `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash, reason,
       request_hash, status, assigned_role, requested_at, expires_at)
     select $1, uuidv7(), id, ${environment}, 'mcp:crm/get', repeat('a', 64), ${policy}, 1, repeat('a', 64), '', repeat('b', 64), 'pending',
       'manager', now(), now() + interval '1 day' + place * interval '1 second'
     from ${placed} where place <= $2`,
    'others',
  ],
  [
    `insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id,
       policy_version, tool, effect, mode, args_digest, duration_us)
     select $1, d.id, 90, at, at, at, a.id, ${environment}, 1, 'mcp:crm/get',
       case when n % 100 = 0 then 'deny' else 'allow' end, 'enforce', repeat('a', 64), 300
     from (select n, now() - n * interval '1 second' as at, uuidv7(-n * interval '1 second') as id from generate_series(1, $2::int) n) d ${ofAgents}`,
    'decisions',
  ],
  [
    `insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_user_id, actor_name, actor_email,
       resource_type, resource_id, resource_name, agent_id, details, request_id, ip, user_agent, created_at)
     select $1, e.id, 'control_plane', case when n % 10 = 0 then 'policy.updated' else 'agent.updated' end, 'agent', 'person', ${owner},
       'Mara Lindqvist', 'mara@norrvik.example', 'agent', a.id, 'agent', a.id, '{}', '', '192.0.2.1', 'test', uuid_extract_timestamp(e.id)
     from (select n, uuidv7() as id from generate_series(1, $2::int) n) e ${ofAgents}`,
    'entries',
  ],
]
