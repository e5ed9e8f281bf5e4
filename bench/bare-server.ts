// The upper limit for the benchmark: the same HTTP framework, driver and rows, with one prepared statement per request. It checks no
// credential, scope, rate or tenant, records no usage times, and logs nothing.
import { createHash } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'

const url = process.argv[2]
const pool = new pg.Pool({ connectionString: url, max: 10 })
const app = fastify({ logger: false })

const columns = `json_build_object('id', id, 'tenant_id', tenant_id, 'name', name, 'description', description, 'status', status,
  'source', source, 'governance_state', governance_state, 'lifecycle_status', lifecycle_status, 'framework', framework,
  'model', model, 'tools', tools, 'metadata', metadata, 'created_at', created_at, 'updated_at', updated_at)`

app.get('/key', async (request) => {
  const key = (request.headers.authorization ?? '').slice(7)
  const hash = createHash('sha256').update(key).digest()
  const text = `select k.id, k.scopes, k.environment_id, u.id as user_id, u.role, u.access_scope from api_keys k
    join users u on u.tenant_id = k.tenant_id and u.id = k.created_by
    join credential_lookup l on l.tenant_id = k.tenant_id and l.id = k.id
    where l.hash = $1 and k.revoked_at is null`
  return (await pool.query({ name: 'key', text, values: [hash] })).rows[0]
})

app.get<{ Params: { tenant: string; id: string } }>('/agents/:tenant/:id', async (request, reply) => {
  const text = `select ${columns}::text as body from agents where tenant_id = $1 and id = $2`
  const { rows } = await pool.query({ name: 'get', text, values: [request.params.tenant, request.params.id] })
  return reply.type('application/json').send(rows[0].body)
})

// All fields of an agent in the API, by one statement over the same tables.
const whole = `json_build_object('id', a.id, 'tenant_id', a.tenant_id, 'name', a.name, 'description', a.description, 'status', a.status,
  'source', a.source, 'governance_state', a.governance_state, 'lifecycle_status', a.lifecycle_status, 'framework', a.framework,
  'model', a.model, 'tools', a.tools, 'metadata', a.metadata, 'owner_user_id', a.owner_user_id, 'created_at', a.created_at,
  'updated_at', a.updated_at,
  'approved_policy', case when a.approved_policy_id is not null
    then json_build_object('id', a.approved_policy_id, 'version', a.approved_version) end,
  'governance_mode', case p.override_mode when 'inherit' then e.governance_mode else p.override_mode end,
  'environment', case when e.id is not null then json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) end,
  'policy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name, 'version', p.version) end,
  'running_policy', case when r.running_policy_id is not null
    then json_build_object('id', r.running_policy_id, 'version', r.running_version, 'reported_at', r.reported_at) end,
  'drift', r.running_policy_id <> a.approved_policy_id or r.running_hash <> a.approved_hash,
  'last_heartbeat_at', r.last_heartbeat_at,
  'execution_coverage', json_build_object('state', case when v.shows is null or v.shows = 'unknown' then 'unknown'
      when greatest(v.attested_at, v.window_end) < now() - interval '15 minutes' then 'stale' else v.shows end,
    'attested', case when v.mode is not null then json_build_object('mode', v.mode, 'tools', v.tools,
      'mediation_points', v.mediation_points, 'edge_version', v.edge_version, 'attested_at', v.attested_at) end,
    'observed', case when v.reported_at is not null then json_build_object('window_start', v.window_start,
      'window_end', v.window_end, 'actions_seen', v.actions_seen, 'actions_mediated', v.actions_mediated,
      'unmediated_seen', v.unmediated_seen, 'reported_at', v.reported_at) end,
    'findings', coalesce((select json_agg(json_build_object('id', f.id, 'type', f.type, 'severity', f.severity))
      from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id and f.status = 'open'), '[]'),
    'computed_at', now()))`

app.get<{ Params: { tenant: string; id: string } }>('/whole-agents/:tenant/:id', async (request, reply) => {
  const text = `select ${whole}::text as body from agents a
    left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
    left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
    left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
    left join agent_evidence v on v.tenant_id = a.tenant_id and v.agent_id = a.id
    where a.tenant_id = $1 and a.id = $2`
  const { rows } = await pool.query({ name: 'whole', text, values: [request.params.tenant, request.params.id] })
  return reply.type('application/json').send(rows[0].body)
})

app.get<{ Params: { tenant: string } }>('/agents/:tenant', async (request, reply) => {
  const text = `select json_agg(${columns})::text as body from
    (select * from agents where tenant_id = $1 and governance_state = 'governed' order by id desc limit 50) a`
  const { rows } = await pool.query({ name: 'list', text, values: [request.params.tenant] })
  return reply.type('application/json').send(rows[0].body)
})

app.post<{ Params: { tenant: string }; Body: { name: string; environment_id: string } }>(
  '/agents/:tenant',
  async (request, reply) => {
    const text = `with made as (
      insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, created_at, updated_at)
      values ($1, $2, $3, 'registered', 'runtime', 'discovered', 'proposed', $4, now(), now()) returning *),
    entry as (
      insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email, resource_type,
        resource_id, resource_name, agent_id, details, request_id, ip, user_agent, created_at)
      select $1, $5, 'control_plane', 'agent.created', 'agent', 'api_key', '', '', 'agent', id, name, id, '{}', '', '', '', now() from made)
    select ${columns}::text as body from made`
    const values = [request.params.tenant, v7(), request.body.name, request.body.environment_id, v7()]
    const { rows } = await pool.query({ name: 'create', text, values })
    return reply.code(201).type('application/json').send(rows[0].body)
  },
)

await app.listen({ port: Number(process.argv[3]), host: '127.0.0.1' })
