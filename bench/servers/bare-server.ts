// The upper limit of the benchmark: a server with the same HTTP framework, database driver, rows and fields. Each request runs one prepared
// statement. It checks no scope, rate or tenant, and a credential only in the key check. It records no usage times and logs nothing.
import { createHash, randomBytes } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'
import { namedStatement } from '../../packages/server/src/db/statements/named-parameters.ts'
import { pageOf } from '../../packages/server/src/features/agents/json/agent-json-queries.ts'

const url = process.argv[2]
const pool = new pg.Pool({ connectionString: url, max: 10 })
const app = fastify({ logger: false })

const user = `json_build_object('id', u.id, 'tenant_id', u.tenant_id, 'email', u.email, 'display_name', u.display_name, 'role', u.role,
  'status', u.status, 'academy_only', u.academy_only, 'mfa_enrolled', u.mfa_enrolled,
  'factors', case when u.mfa_enrolled then '["totp"]' else '[]' end::json, 'federated', u.federated, 'access_scope', u.access_scope,
  'read_only', u.read_only, 'created_at', u.created_at)`
const tenant = `json_build_object('id', t.id, 'name', t.name, 'plan', t.plan, 'governance_gate', t.governance_gate,
  'saml_enabled', t.saml_enabled, 'saml_email_domain', t.saml_email_domain, 'decision_retention_days', t.decision_retention_days,
  'created_at', t.created_at)`
const environment = `case when e.id is not null then json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) end`
const via = `json_build_object('type', 'api_key', 'id', k.id, 'prefix', k.key_prefix, 'environment', ${environment}, 'scopes', k.scopes)`

app.get('/key', async (request, reply) => {
  const key = (request.headers.authorization ?? '').slice(7)
  const hash = createHash('sha256').update(key).digest()
  const text = `select json_build_object('user', ${user}, 'tenant', ${tenant}, 'via', ${via}, 'email_verified', u.email_verified)::text as body
    from credential_lookup l
    join api_keys k on k.tenant_id = l.tenant_id and k.id = l.id
    join users u on u.tenant_id = k.tenant_id and u.id = k.created_by
    join tenants t on t.id = k.tenant_id
    left join environments e on e.tenant_id = k.tenant_id and e.id = k.environment_id
    where l.hash = $1 and k.revoked_at is null`
  const { rows } = await pool.query({ name: 'key', text, values: [hash] })
  return reply.type('application/json').send(rows[0].body)
})

const coverageState = `case when v.shows is null or v.shows = 'unknown' then 'unknown'
  when greatest(v.attested_at, v.window_end) < now() - interval '15 minutes' then 'stale' else v.shows end`

const agent = `json_build_object('id', a.id, 'tenant_id', a.tenant_id, 'name', a.name, 'description', a.description, 'status', a.status,
  'source', a.source, 'governance_state', a.governance_state, 'lifecycle_status', a.lifecycle_status, 'framework', a.framework,
  'model', a.model, 'tools', a.tools, 'metadata', a.metadata, 'owner_user_id', a.owner_user_id, 'created_at', a.created_at,
  'updated_at', a.updated_at,
  'approved_policy', case when a.approved_policy_id is not null then json_build_object('id', a.approved_policy_id,
    'version', a.approved_version, 'content_hash', a.approved_hash, 'approved_by', a.approved_by, 'approved_at', a.approved_at,
    'review_id', a.approved_review_id) end,
  'governance_mode', case p.override_mode when 'inherit' then e.governance_mode else p.override_mode end,
  'environment', ${environment},
  'policy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name, 'version', p.version) end,
  'running_policy', case when r.running_policy_id is not null then json_build_object('id', r.running_policy_id,
    'version', r.running_version, 'reported_at', r.reported_at, 'content_hash', r.running_hash, 'since', r.running_since,
    'edge', case when r.running_edge_id is not null then json_build_object('id', r.running_edge_id, 'name', r.running_edge_name,
      'version', r.running_edge_version) end) end,
  'drift', r.running_policy_id <> a.approved_policy_id or r.running_hash <> a.approved_hash,
  'last_heartbeat_at', r.last_heartbeat_at,
  'frozen', exists (select from freezes z where z.tenant_id = a.tenant_id and z.is_active
    and z.target_id in (a.id, a.environment_id, a.tenant_id)),
  'new_key_unused_since', case when a.key_rotated_at is not null and not exists (select from edge_instances n
    where n.tenant_id = a.tenant_id and n.credential_id = a.id and n.seen_at >= a.key_rotated_at) then a.key_rotated_at end,
  'execution_coverage_state', ${coverageState},
  'execution_coverage', json_build_object('state', ${coverageState},
    'attested', case when v.mode is not null then json_build_object('mode', v.mode, 'tools', v.tools,
      'mediation_points', v.mediation_points, 'edge_version', v.edge_version, 'attested_at', v.attested_at) end,
    'observed', case when v.reported_at is not null then json_build_object('window_start', v.window_start,
      'window_end', v.window_end, 'actions_seen', v.actions_seen, 'actions_mediated', v.actions_mediated,
      'unmediated_seen', v.unmediated_seen, 'reported_at', v.reported_at) end,
    'findings', coalesce((select json_agg(json_build_object('id', f.id, 'agent_id', f.agent_id, 'type', f.type, 'severity', f.severity,
        'status', f.status, 'evidence', f.evidence, 'remediation', f.remediation, 'opened_at', f.opened_at, 'closed_at', f.closed_at))
      from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id and f.status = 'open'), '[]'),
    'computed_at', now()))`

const joins = `left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
  left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
  left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
  left join agent_evidence v on v.tenant_id = a.tenant_id and v.agent_id = a.id`

app.get<{ Params: { tenant: string; id: string } }>('/agents/:tenant/:id', async (request, reply) => {
  const text = `select ${agent}::text as body from agents a ${joins} where a.tenant_id = $1 and a.id = $2`
  const { rows } = await pool.query({ name: 'get', text, values: [request.params.tenant, request.params.id] })
  return reply.type('application/json').send(rows[0].body)
})

// The JSON of the list is written by the SQL of the product, because PostgreSQL takes twice as long for `json_build_object`.
const newest = namedStatement(
  pageOf(
    `select * from agents where tenant_id = :tenantId and governance_state = 'governed' order by id desc limit 51`,
  ),
)

app.get<{ Params: { tenant: string } }>('/agents/:tenant', async (request, reply) => {
  const { rows } = await pool.query(
    newest({ tenantId: request.params.tenant, size: 50, now: new Date().toISOString() }) as pg.QueryConfig,
  )
  const [{ items, last_id }] = rows
  return reply.type('application/json').send(`{"data":[${items}],"next_page_token":"${last_id}"}`)
})

app.post<{ Params: { tenant: string }; Body: { name: string; environment_id: string } }>(
  '/agents/:tenant',
  async (request, reply) => {
    const text = `with a as (
      insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, created_at, updated_at)
      values ($1, $2, $3, 'registered', 'runtime', 'discovered', 'proposed', $4, now(), now()) returning *),
    entry as (
      insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email, resource_type,
        resource_id, resource_name, agent_id, details, request_id, ip, user_agent, created_at)
      select $1, $5, 'control_plane', 'agent.created', 'agent', 'api_key', '', '', 'agent', id, name, id, '{}', '', '', '', now() from a)
    select json_build_object('agent', ${agent}, 'agent_key', $6::text)::text as body from a ${joins}`
    const values = [
      request.params.tenant,
      v7(),
      request.body.name,
      request.body.environment_id,
      v7(),
      `ak_${newSecret()}`,
    ]
    const { rows } = await pool.query({ name: 'create', text, values })
    return reply.code(201).type('application/json').send(rows[0].body)
  },
)

const newSecret = () => randomBytes(32).toString('hex')

await app.listen({ port: Number(process.argv[3]), host: '127.0.0.1' })
