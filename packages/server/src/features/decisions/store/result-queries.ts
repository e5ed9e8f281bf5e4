import type { DecisionRecord } from '@mandate/contract/edge'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** What a result adds to its decision. */
export type ResultDetails = Pick<DecisionRecord, 'content' | 'threat' | 'labels'>

/** A decision to which results belong. */
export interface FirstRecord {
  decisionId: string
  retentionDays: number
  filedAt: string
  agentId: string
  edgeId: string | null
  kid: string | null
  resultOf: string | null
  /** The content matches of the decision itself. */
  content: DecisionRecord['content'] | null
  resultDetails: ResultDetails | null
}

const firstText = `
  with given as materialized (
    select g.id, coalesce(n.filed_at, g.filed_at) as filed_at
    from unnest($2::uuid[], $3::timestamptz[]) as g (id, filed_at)
    left join decision_ids n on n.tenant_id = $1 and n.decision_id = g.id
    order by g.id)
  select r.* from given cross join lateral (
    select d.decision_id as "decisionId", d.retention_days as "retentionDays", d.filed_at as "filedAt", d.agent_id as "agentId",
      d.edge_id as "edgeId", d.kid, d.result_of as "resultOf", d.details -> 'content' as content, d.result_details as "resultDetails"
    from decision_records d
    where d.tenant_id = $1 and d.decision_id = given.id and d.retention_days = $4 and d.filed_at = given.filed_at
    for no key update) r`

/**
 * Returns those of the decisions that are stored, and locks them in the order of their ids. `filedAt` is null for an id that is not a UUIDv7;
 * it is then read from `decision_ids`.
 */
export async function findFirstRecords(
  tx: Tx,
  retentions: readonly number[],
  ids: readonly { id: string; filedAt: string | null }[],
): Promise<FirstRecord[]> {
  const [named, times] = [ids.map(({ id }) => id), ids.map(({ filedAt }) => filedAt)]
  const found = await Promise.all(
    retentions.map((retention) => tx.all(raw<FirstRecord>(firstText, [tx.tenantId, named, times, retention]))),
  )
  return found.flat()
}

// The bounds of `filed_at` leave out the partitions of other days.
const storeText = `
  update decision_records d set result_details = g.details
  from unnest($2::uuid[], $3::timestamptz[], $4::jsonb[]) as g (decision_id, filed_at, details)
  where d.tenant_id = $1 and d.decision_id = g.decision_id and d.filed_at = g.filed_at
    and d.retention_days = $5 and d.filed_at >= $6::timestamptz and d.filed_at <= $7::timestamptz`

export async function storeResultDetails(tx: Tx, changed: readonly FirstRecord[]): Promise<void> {
  for (const [retention, same] of Map.groupBy(changed, ({ retentionDays }) => retentionDays)) {
    const filed = same.map(({ filedAt }) => filedAt)
    const sorted = filed.toSorted()
    const details = same.map(({ resultDetails }) => JSON.stringify(resultDetails))
    const ids = same.map(({ decisionId }) => decisionId)
    await tx.all(raw(storeText, [tx.tenantId, ids, filed, details, retention, sorted[0], sorted.at(-1)]))
  }
}

/** What a result adds to the decision `of`, and who sent it. */
export interface WaitingResult {
  of: string
  /** Id of the result record. */
  decisionId: string
  agentId: string
  edgeId: string | null
  kid: string | null
  details: ResultDetails
}

/** At most this many results wait for one decision. Further ones are not merged. */
const mostWaiting = 100

export async function insertWaiting(
  tx: Tx,
  results: readonly WaitingResult[],
  { retentionDays, now }: { retentionDays: number; now: string },
): Promise<void> {
  const text = `
    insert into decision_waiting_results (tenant_id, result_of, decision_id, retention_days, received_at, place, agent_id, edge_id, kid, details)
    select $1, g.result_of, g.decision_id, $2, $3, g.place, g.agent_id, g.edge_id, g.kid, g.details
    from (select *, row_number() over (partition by r.result_of order by r.place) as nth
      from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::jsonb[])
        with ordinality as r (result_of, decision_id, agent_id, edge_id, kid, details, place)) g
    where g.nth + (select count(*) from decision_waiting_results w where w.tenant_id = $1 and w.result_of = g.result_of) <= $10
    order by g.result_of, g.decision_id
    on conflict (tenant_id, result_of, decision_id) do nothing`
  const column = <K extends keyof WaitingResult>(name: K) => results.map((result) => result[name])
  const details = results.map(({ details }) => JSON.stringify(details))
  const senders = [column('agentId'), column('edgeId'), column('kid')]
  const values = [retentionDays, now, column('of'), column('decisionId'), ...senders, details, mostWaiting]
  await tx.all(raw(text, [tx.tenantId, ...values]))
}

/** Removes the results that wait for these decisions, and returns them in the order in which they arrived. */
export async function takeWaiting(tx: Tx, ids: readonly string[]): Promise<WaitingResult[]> {
  const text = `
    with taken as (
      delete from decision_waiting_results where tenant_id = $1 and result_of = any($2::uuid[]) returning *)
    select result_of as "of", decision_id as "decisionId", agent_id as "agentId", edge_id as "edgeId", kid, details
    from taken order by received_at, place`
  return await tx.all(raw<WaitingResult>(text, [tx.tenantId, ids]))
}

/** Returns decisions for which results wait that arrived since a time: the next 1,000 after an id. */
export async function findLeftBehind(
  tx: Tx,
  { since, after }: { since: string; after: string | null },
): Promise<string[]> {
  const text = `select distinct result_of as id from decision_waiting_results
    where tenant_id = $1 and received_at >= $2 and ($3::uuid is null or result_of > $3) order by id limit 1000`
  return (await tx.all(raw<{ id: string }>(text, [tx.tenantId, since, after]))).map(({ id }) => id)
}
