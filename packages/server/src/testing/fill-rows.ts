import { countFilledDecisions } from './count-filled-decisions.ts'
import type { TestServer } from './start-test-server.ts'

/**
 * Returns SQL for a UUIDv7 whose time is `n` milliseconds after the start of 2024. The id contains the last three digits of the
 * tenant id in $1, so that two tenants get different ids. `n` is a numeric SQL expression, for example the name of a column.
 */
export const idAt = (n: string) =>
  `(lpad(to_hex((1704067200000 + ${n}) / 65536), 8, '0') || '-' || lpad(to_hex((1704067200000 + ${n}) % 65536), 4, '0')
    || '-7' || right($1::text, 3) || '-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

const timeAt = (n: string) => `to_timestamp((1704067200000 + ${n}) / 1000.0)`

/**
 * Inserts `count` audit entries of many resources, one per minute from 2024 on. The ten oldest are rare: their source is the
 * edge, and their resource type and event are different.
 */
export async function fillEntries(server: TestServer, tenantId: string, count: number): Promise<void> {
  await server.owner.query(
    `insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_user_id, actor_name, actor_email,
       resource_type, resource_id, resource_name, details, request_id, ip, user_agent, created_at)
     select $1::uuid, ${idAt('n * 60000')}, case when n <= 10 then 'edge' else 'control_plane' end,
       case when n <= 10 then 'rare.event' else 'agent.updated' end, 'agent', 'system', null, 'system', '',
       case when n <= 10 then 'rare' else 'agent' end, ${idAt('(n % 1000)')}, 'name', '{"a": 1}', '', '', '',
       ${timeAt('n * 60000')}
     from generate_series(1::bigint, $2::bigint) n`,
    [tenantId, count],
  )
}

/**
 * Inserts `each` findings for each agent of a tenant. One finding of each agent is open, and the others are closed. There are
 * three types of findings. The ten oldest findings of the tenant have a rare type. The other findings of the older half have
 * the second type, and the newer half has the third type.
 */
export async function fillFindings(server: TestServer, tenantId: string, each: number): Promise<void> {
  await server.owner.query(
    `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
     select tenant_id, ${idAt('r')}, id, environment_id, case when r <= 10 then 'unapproved_running' when r <= total / 2 then 'policy_drift_unapproved'
       else 'coverage_gap' end, 'high', case when k = 1 then 'open' else 'closed' end, '{}', '', now()
     from (select a.tenant_id, a.id, a.environment_id, k, row_number() over (order by a.id, k) as r, count(*) over () as total
       from agents a cross join generate_series(1, $2::int) k where a.tenant_id = $1::uuid) x`,
    [tenantId, each],
  )
}

/** Inserts one decision per minute for each agent of a tenant, for the last `each` minutes. */
export async function fillDecisions(server: TestServer, tenantId: string, each: number): Promise<void> {
  await server.owner.query(
    `insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id, policy_id,
       policy_version, tool, effect, mode, args_digest)
     select tenant_id, uuidv7(), 90, now(), now() - k * interval '1 minute', now(), id, environment_id, policy_id, 1, 'mcp:files/' || (k % 10),
       'allow', 'enforce', 'd'
     from agents cross join generate_series(1, $2::int) k where tenant_id = $1::uuid`,
    [tenantId, each],
  )
  for (const text of countFilledDecisions) await server.owner.query(text, [tenantId])
}

/**
 * Inserts one approval for each agent of the tenant, a minute apart. The newest 1 % is pending. The next older 1 % is pending
 * but overdue. Of all other approvals, 5 % are expired, the ten oldest are rejected, and the remaining ones are consumed.
 */
export async function fillApprovals(server: TestServer, tenantId: string): Promise<void> {
  await server.owner.query(
    `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
       reason, request_hash, status, assigned_role, requested_at, expires_at)
     select tenant_id, ${idAt('r')}, id, environment_id, 'mcp:files/write', '', id, 1, '', '', '',
       case when r <= 10 then 'rejected' when r > total - total / 50 then 'pending' when r % 20 = 0 then 'expired' else 'consumed' end,
       'manager', ${timeAt('r * 60000')}, case when r > total - total / 100 then now() + interval '1 day' else ${timeAt('r * 60000')} end
     from (select a.tenant_id, a.id, a.environment_id, row_number() over (order by a.id desc) as r, count(*) over () as total
       from agents a where a.tenant_id = $1::uuid) x`,
    [tenantId],
  )
}
