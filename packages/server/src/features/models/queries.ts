import type { Model } from '@mandate/contract/models'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import { agentOfRecordIsVisible, visibleAgentIds } from '../../authz/visibility.ts'
import type { Sql } from '../../db/database.ts'
import { namedSql } from '../../db/statements/named-parameters.ts'

/** Kinds of decisions on models that one request looks at. */
const mostKinds = 5_000
/** Counts of agents that one request reads, for all models together. */
const mostCounts = 100_000
/** The ids after it are those of agents and edges. Ids up to it stand for the whole tenant. */
const lastTenantSubject = '00000000-0000-0000-0000-0000000000ff'

const recent = `:now::timestamptz - interval '30 days'`

// The name of a model is what follows the provider. Edges have counts like agents; the join with agents leaves them out.
const kinds = `
  kinds as materialized (
    select k.id, k.tool, substr(k.tool, strpos(k.tool, '/') + 1) as model from decision_kinds k
    where k.tenant_id = :tenantId and k.tool like 'model:%/%' limit ${mostKinds}),
  share as materialized (select ${mostCounts} / greatest(1, count(*)) as counts from kinds)`

/** What each agent that the caller sees called. */
const observed = (isVisible: string) => `
  counts as materialized (
    select k.model, e.subject_id as agent_id, e.bucket, e.calls from share cross join kinds k cross join lateral (
      select c.subject_id, c.bucket, c.calls from decision_days c
      where c.tenant_id = :tenantId and c.kind_id = k.id and c.subject_id > '${lastTenantSubject}'
      order by c.bucket desc limit share.counts) e),
  by_agent as materialized (
    select e.model, e.agent_id, x.status, x.model as named, sum(e.calls) filter (where e.bucket > ${recent}) as calls_30d,
      min(e.bucket) as first_seen_at, max(e.bucket) as last_seen_at
    from counts e join agents x on x.tenant_id = :tenantId and x.id = e.agent_id
    where ${isVisible} group by e.model, e.agent_id, x.status, x.model),
  observed as (
    select o.model, count(*) filter (where isUsing)::int as observed,
      count(*) filter (where isUsing and names.tool is null and o.named <> o.model)::int as undeclared,
      coalesce(sum(o.calls_30d), 0)::bigint as calls_30d, min(o.first_seen_at) as first_seen_at, max(o.last_seen_at) as last_seen_at
    from by_agent o
    cross join lateral (select o.status <> 'archived' and o.calls_30d is not null as isUsing) u
    left join lateral (select k.tool from kinds k where k.model = o.model and k.tool = 'model:' || o.named limit 1) names on true
    group by o.model)`

/** The counts of the whole tenant, which are exact. */
const ofTenant = `
  whole as (
    select k.model, coalesce(sum(c.calls) filter (where c.bucket > ${recent}), 0)::bigint as calls_30d, min(c.bucket) as first_seen_at,
      max(c.bucket) as last_seen_at
    from kinds k join decision_days c on c.tenant_id = :tenantId and c.kind_id = k.id and c.subject_id <= '${lastTenantSubject}'
    group by k.model)`

const statement = statementsBySight({}, ({ sight }) => {
  const isAll = sight === 'all'
  const seen = isAll ? '' : `and a.id in (${visibleAgentIds(sight)})`
  return namedSql<Model & { total: number }>(`
    with ${kinds}, ${observed(agentOfRecordIsVisible(sight, 'e'))} ${isAll ? `, ${ofTenant}` : ''},
    named as (
      select a.model, count(*)::int as agents from agents a
      where a.tenant_id = :tenantId and a.status <> 'archived' and a.model <> '' ${seen} group by a.model),
    declared as (
      select coalesce(k.model, n.model) as model, sum(n.agents)::int as declared
      from named n left join (select distinct tool, model from kinds) k on k.tool = 'model:' || n.model group by 1),
    listed as (
      select model, coalesce(d.declared, 0) + coalesce(o.undeclared, 0) as agents, coalesce(d.declared, 0) as declared,
        coalesce(o.observed, 0) as observed, coalesce(${isAll ? 'w' : 'o'}.calls_30d, 0)::bigint as calls_30d,
        ${isAll ? 'w' : 'o'}.first_seen_at, ${isAll ? 'w' : 'o'}.last_seen_at
      from declared d full join observed o using (model) ${isAll ? 'full join whole w using (model)' : ''})
    select l.*, (select count(*)::int from listed) as total from listed l order by l.model collate "C" limit :limit offset :offset`)
})

const countOnly = { limit: 1, offset: 0 }

/** Returns a page of the models that agents declare or use, with the number of all. */
export async function findModels(
  db: Sql,
  actor: Member,
  { limit, offset, now }: { limit: number; offset: number; now: string },
): Promise<{ models: Model[]; total: number }> {
  const rows = await db.all(statement(actor, {}, { limit, offset, now }))
  // A page after the last one has no row that says how many there are.
  const [counted] = rows.length > 0 || offset === 0 ? rows : await db.all(statement(actor, {}, { ...countOnly, now }))
  return { models: rows.map(({ total: _, ...model }) => model), total: counted?.total ?? 0 }
}
