import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { type AgentDay, type Count, type Grain, grains } from '../records/count-decisions.ts'
import type { Kind } from '../records/kinds.ts'

export const countTables = {
  minute: 'decision_minutes',
  hour: 'decision_hours',
  day: 'decision_days',
} as const satisfies Record<Grain, string>

const addTo = (table: string) => `
  insert into ${table} as t (tenant_id, subject_id, bucket, kind_id, edge_id, calls)
  select $1, c.subject_id, c.bucket, c.kind_id, c.edge_id, c.calls
  from unnest($2::uuid[], $3::timestamptz[], $4::uuid[], $5::uuid[], $6::bigint[]) as c (subject_id, bucket, kind_id, edge_id, calls)
  order by c.subject_id, c.bucket, c.kind_id, c.edge_id
  on conflict (tenant_id, subject_id, bucket, kind_id, edge_id) do update set calls = t.calls + excluded.calls`

const addCounts = Object.fromEntries(grains.map((grain) => [grain, addTo(countTables[grain])])) as Record<Grain, string>

/** Adds to the counts of a grain. `counts` must be sorted as `countDecisions` sorts them. */
export async function storeCounts(tx: Tx, grain: Grain, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return
  const values = [
    counts.map(({ subjectId }) => subjectId),
    counts.map(({ bucket }) => bucket),
    counts.map(({ kindId }) => kindId),
    counts.map(({ edgeId }) => edgeId),
    counts.map(({ calls }) => calls),
  ]
  await tx.all(raw(addCounts[grain], [tx.tenantId, ...values]))
}

/** Adds to the calls of agents. `days` must be sorted as `countAgentDays` sorts them. */
export async function storeAgentDays(tx: Tx, days: readonly AgentDay[]): Promise<void> {
  if (days.length === 0) return
  const text = `
    insert into decision_agent_days as t (tenant_id, bucket, agent_id, environment_id, calls, magnitude)
    select $1, d.bucket, d.agent_id, d.environment_id, d.calls, length(ltrim(d.calls::bit(64)::text, '0'))
    from unnest($2::timestamptz[], $3::uuid[], $4::uuid[], $5::bigint[]) as d (bucket, agent_id, environment_id, calls)
    order by d.agent_id, d.bucket
    on conflict (tenant_id, agent_id, bucket) do update set calls = t.calls + excluded.calls,
      magnitude = length(ltrim((t.calls + excluded.calls)::bit(64)::text, '0'))`
  const column = <K extends keyof AgentDay>(name: K) => days.map((day) => day[name])
  await tx.all(raw(text, [tx.tenantId, column('bucket'), column('agentId'), column('environmentId'), column('calls')]))
}

export async function findKnownTools(tx: Tx, tools: readonly string[]): Promise<string[]> {
  const text = 'select tool from decision_tools where tenant_id = $1 and tool = any($2::text[])'
  const rows = await tx.all(raw<{ tool: string }>(text, [tx.tenantId, tools]))
  return rows.map(({ tool }) => tool)
}

export async function findKnownKinds(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const text = 'select id from decision_kinds where tenant_id = $1 and id = any($2::uuid[])'
  const rows = await tx.all(raw<{ id: string }>(text, [tx.tenantId, ids]))
  return rows.map(({ id }) => id)
}

/** Returns those of the ids that are policies of the tenant. */
export async function findPolicies(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const text = 'select id from policies where tenant_id = $1 and id = any($2::uuid[])'
  const rows = await tx.all(raw<{ id: string }>(text, [tx.tenantId, ids]))
  return rows.map(({ id }) => id)
}

/** Locks the number of new tools and kinds of a day until the transaction ends, and returns it. */
export async function lockNewNames(tx: Tx, day: string): Promise<{ tools: number; kinds: number }> {
  const [, used] = await Promise.all([
    tx.all(
      raw(
        `insert into decision_new_names (tenant_id, day, tools, kinds) values ($1, $2, 0, 0)
         on conflict (tenant_id, day) do nothing`,
        [tx.tenantId, day],
      ),
    ),
    tx.one(
      raw<{ tools: number; kinds: number }>(
        'select tools, kinds from decision_new_names where tenant_id = $1 and day = $2 for update',
        [tx.tenantId, day],
      ),
    ),
  ])
  return used
}

/** Stores new tools and kinds, sorted, so that two requests with the same names cannot deadlock. */
export async function storeNewNames(tx: Tx, day: string, tools: readonly string[], kinds: readonly Kind[]) {
  const column = <K extends keyof Kind>(name: K) => kinds.map((kind) => kind[name])
  const insertTools = `insert into decision_tools (tenant_id, tool) select $1, t.tool from unnest($2::text[]) as t (tool)
    order by t.tool on conflict (tenant_id, tool) do nothing`
  const insertKinds = `
    insert into decision_kinds (tenant_id, id, environment_id, policy_id, policy_version, rule_id, tool, effect, mode)
    select $1, k.id, k.environment_id, k.policy_id, k.policy_version, k.rule_id, k.tool, k.effect, k.mode
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::uuid[], $7::text[], $8::text[], $9::text[])
      as k (id, environment_id, policy_id, policy_version, rule_id, tool, effect, mode)
    order by k.id on conflict (tenant_id, id) do nothing`
  const kindColumns = [
    column('id'),
    column('environmentId'),
    column('policyId'),
    column('policyVersion'),
    column('ruleId'),
    column('tool'),
    column('effect'),
    column('mode'),
  ]
  const addUse =
    'update decision_new_names set tools = tools + $3, kinds = kinds + $4 where tenant_id = $1 and day = $2'
  await Promise.all([
    tx.all(raw(insertTools, [tx.tenantId, tools])),
    tx.all(raw(insertKinds, [tx.tenantId, ...kindColumns])),
    tx.all(raw(addUse, [tx.tenantId, day, tools.length, kinds.length])),
  ])
}
