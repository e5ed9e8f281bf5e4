import type { DecisionRecord } from '@mandate/contract/edge'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { invalidKey } from '../../../refusal.ts'
import type { Reach } from '../../edge/reach/reach.ts'
import { type FiledRecord, isTimed } from '../records/filed-record.ts'

/** The agents of a batch that a credential serves, and the environment of each. Agents that it does not serve are left out. */
export async function findServedAgents(
  db: Sql,
  { agentId, environmentId }: Reach,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const text = `select id, environment_id from agents
    where tenant_id = $1 and id = any($2::uuid[]) and (id = $3::uuid or environment_id = $4::uuid)`
  const rows = await db.all(
    raw<{ id: string; environment_id: string | null }>(text, [db.tenantId, ids, agentId, environmentId]),
  )
  return new Map(rows.map(({ id, environment_id }) => [id, environment_id]))
}

/** Like `findServedAgents`, for several credentials. Returns the agents in the order of the credentials. */
export async function findServedOfEach(
  db: Sql,
  wanted: readonly { reach: Reach; agentIds: readonly string[] }[],
): Promise<Map<string, string | null>[]> {
  const text = `select g.n, a.id, a.environment_id
    from unnest($2::int[], $3::uuid[], $4::uuid[], $5::uuid[]) as g (n, agent_id, reach_agent_id, reach_environment_id)
    join agents a on a.tenant_id = $1 and a.id = g.agent_id and (a.id = g.reach_agent_id or a.environment_id = g.reach_environment_id)`
  const given = wanted.flatMap(({ reach, agentIds }, n) => agentIds.map((id) => ({ n, id, ...reach })))
  const rows = await db.all(
    raw<{ n: number; id: string; environment_id: string | null }>(text, [
      db.tenantId,
      given.map(({ n }) => n),
      given.map(({ id }) => id),
      given.map(({ agentId }) => agentId),
      given.map(({ environmentId }) => environmentId),
    ]),
  )
  const served = wanted.map(() => new Map<string, string | null>())
  for (const { n, id, environment_id } of rows) served[n]?.set(id, environment_id)
  return served
}

export interface Retention {
  /** For how many days decisions that arrive now are kept. */
  days: number
  /** Retentions that the tenant had before. Decisions may still be kept under them. */
  earlier: number[]
}

interface RetentionRow {
  decision_retention_days: number
  earlier_retention_days: number[]
}

const retentionOfTenant = 'select decision_retention_days, earlier_retention_days from tenants where id = $1'

/**
 * Returns the retention for decisions that the transaction stores. Locks the tenant, so that it is not deleted before the transaction ends.
 * The deletion would leave these decisions behind.
 * @throws 401 if the tenant was deleted
 */
export async function findRetention(tx: Tx): Promise<Retention> {
  const text = `${retentionOfTenant} for key share`
  const found = await tx.maybe(raw<RetentionRow>(text, [tx.tenantId]))
  if (!found) throw invalidKey()
  return { days: found.decision_retention_days, earlier: found.earlier_retention_days }
}

/** Returns the retention for reads. */
export async function readRetention(db: Sql): Promise<Retention> {
  const found = await db.maybe(raw<RetentionRow>(retentionOfTenant, [db.tenantId]))
  return { days: found?.decision_retention_days ?? 90, earlier: found?.earlier_retention_days ?? [] }
}

/** Returns those of the decisions that are stored already, with the hash of each signed one. Finds them by their UUIDv7 or in `decision_ids`. */
export async function findStored(
  db: Sql,
  retentions: readonly number[],
  ids: readonly { id: string; filedAt: string | null }[],
): Promise<Map<string, string | null>> {
  const text = `
    with given as materialized (
      select g.id, coalesce(n.filed_at, g.filed_at) as filed_at
      from unnest($2::uuid[], $3::timestamptz[]) as g (id, filed_at)
      left join decision_ids n on n.tenant_id = $1 and n.decision_id = g.id)
    select r.decision_id, encode(r.record_hash, 'hex') as hash
    from given cross join lateral (
      select d.decision_id, d.record_hash from decision_records d
      where d.tenant_id = $1 and d.decision_id = given.id and d.retention_days = $4 and d.filed_at = given.filed_at) r`
  const [named, times] = [ids.map(({ id }) => id), ids.map(({ filedAt }) => filedAt)]
  const found = await Promise.all(
    retentions.map((retention) =>
      db.all(raw<{ decision_id: string; hash: string | null }>(text, [db.tenantId, named, times, retention])),
    ),
  )
  return new Map(found.flat().map(({ decision_id, hash }) => [decision_id, hash]))
}

// Sorted, so that two requests with the same decisions lock them in the same order and cannot deadlock.
const insertRecords = `
  with given as materialized (
    select * from unnest($4::uuid[], $5::boolean[], $6::timestamptz[], $7::timestamptz[], $8::uuid[], $9::uuid[], $10::text[], $11::text[],
      $12::text[], $13::uuid[], $14::uuid[], $15::int[], $16::text[], $17::text[], $18::uuid[], $19::text[], $20::text[], $21::bigint[],
      $22::jsonb[], $23::uuid[], $24::bigint[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[], $30::uuid[])
      as d (decision_id, is_timed, filed_at, at, agent_id, environment_id, tool, effect, mode, rule_id, policy_id, policy_version, policy_hash,
        args_digest, approval_id, session_id, on_behalf_of, duration_us, details, result_of, seq, prev_hash, record_hash, record_digest,
        batch_signature, sent_record, edge_id)
  ), fresh as (
    insert into decision_ids (tenant_id, decision_id, retention_days, filed_at)
    select $1, decision_id, $2, filed_at from given where not is_timed order by decision_id
    on conflict (tenant_id, decision_id) do nothing returning decision_id
  ), kept as (
    insert into decision_records (tenant_id, retention_days, received_at, decision_id, filed_at, at, agent_id, environment_id, edge_id, tool,
      effect, mode, rule_id, policy_id, policy_version, policy_hash, args_digest, approval_id, session_id, on_behalf_of, duration_us, details,
      result_of, kid, seq, prev_hash, record_hash, record_digest, batch_signature, sent_record)
    select $1, $2, $3, decision_id, filed_at, at, agent_id, environment_id, edge_id, tool, effect, mode, rule_id, policy_id, policy_version,
      policy_hash, args_digest, approval_id, session_id, on_behalf_of, duration_us, details, result_of, $31, seq, decode(prev_hash, 'hex'),
      decode(record_hash, 'hex'), decode(record_digest, 'hex'), batch_signature, sent_record
    from given g where is_timed or exists (select from fresh f where f.decision_id = g.decision_id)
    order by decision_id
    on conflict (tenant_id, decision_id, retention_days, filed_at) do nothing
    returning decision_id
  )
  select decision_id, case when (select exists (select from decision_waiting_results where tenant_id = $1))
    then exists (select from decision_waiting_results w where w.tenant_id = $1 and w.result_of = kept.decision_id) else false end as is_awaited
  from kept`

export interface Inserted {
  /** Ids of the decisions that were new. */
  accepted: Set<string>
  /** Ids of those whose results arrived before. */
  awaited: string[]
}

/** Stores decisions that are not stored yet. If the decisions are signed, all of them must be signed with the same key. */
export async function insertDecisions(
  tx: Tx,
  filed: readonly FiledRecord[],
  { retentionDays, now }: { retentionDays: number; now: string },
): Promise<Inserted> {
  const [first] = filed
  if (!first) return { accepted: new Set(), awaited: [] }
  const column = (of: (one: FiledRecord) => unknown) => filed.map((one) => of(one) ?? null)
  const field = <K extends keyof DecisionRecord>(name: K) => column(({ record }) => record[name])
  const rows = await tx.all(
    raw<{ decision_id: string; is_awaited: boolean }>(insertRecords, [
      tx.tenantId,
      retentionDays,
      now,
      field('decision_id'),
      column(({ record }) => isTimed(record.decision_id)),
      column((one) => one.filedAt),
      field('at'),
      field('agent_id'),
      column(({ environmentId }) => environmentId),
      field('tool'),
      field('effect'),
      field('mode'),
      field('rule_id'),
      field('policy_id'),
      field('policy_version'),
      field('policy_hash'),
      field('args_digest'),
      field('approval_id'),
      field('session_id'),
      field('on_behalf_of'),
      field('duration_us'),
      column(({ record }) => detailsOf(record)),
      field('of'),
      column(({ link }) => link?.seq),
      column(({ link }) => link?.prev),
      column(({ link }) => link?.hash),
      column(({ link }) => link?.digest),
      column(({ link }) => link?.batchSignature),
      column(({ link }) => link?.sentRecord),
      column(({ edgeId }) => edgeId),
      first.link?.kid ?? null,
    ]),
  )
  return {
    accepted: new Set(rows.map(({ decision_id }) => decision_id)),
    awaited: rows.flatMap(({ decision_id, is_awaited }) => (is_awaited ? decision_id : [])),
  }
}

/** The fields that are read only together with their decision. They share a column, as JSON. */
function detailsOf(record: DecisionRecord): string | null {
  const { labels, content, chain, threat, profile, content_version, denied_because, kept_digest } = record
  const details = { labels, content, chain, threat, profile, content_version, denied_because, kept_digest }
  return Object.values(details).every((value) => value === undefined) ? null : JSON.stringify(details)
}

/** Remembers which partitions hold decisions of the tenant, and from when to when they were made. */
export async function widenSpans(
  tx: Tx,
  retentionDays: number,
  spans: readonly { day: string; firstAt: string; lastAt: string }[],
): Promise<void> {
  const text = `
    insert into decision_spans (tenant_id, retention_days, day, first_at, last_at)
    select $1, $2, s.day, s.first_at, s.last_at
    from unnest($3::timestamptz[], $4::timestamptz[], $5::timestamptz[]) as s (day, first_at, last_at) order by s.day
    on conflict (tenant_id, retention_days, day) do update set
      first_at = least(decision_spans.first_at, excluded.first_at), last_at = greatest(decision_spans.last_at, excluded.last_at)`
  const values = [spans.map(({ day }) => day), spans.map(({ firstAt }) => firstAt), spans.map(({ lastAt }) => lastAt)]
  await tx.all(raw(text, [tx.tenantId, retentionDays, ...values]))
}
