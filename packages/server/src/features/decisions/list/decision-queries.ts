import type { Decision } from '@mandate/contract/decisions'
import { decisionRetentions } from '@mandate/contract/tenants'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentOfRecordIsVisible, narrowedBy } from '../../../authz/visibility.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { planOnce } from '../../../db/plan-once.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import { isNamedInRecord } from '../records/named-policies.ts'
import type { Place } from './decision-cursors.ts'

/** The key of a decision. If a search is not narrow, its rows have all columns of a `RecordRow`. */
export interface FoundRow extends Place {
  retentionDays: number
  filedAt: string
}

type Details = Partial<Pick<Decision, 'labels' | 'content' | 'chain' | 'threat' | 'profile' | 'denied_because'>>

/** A stored decision, without the names of what it refers to. */
export interface RecordRow extends FoundRow {
  received_at: string
  agent_id: string
  environment_id: string | null
  edge_id: string | null
  tool: string
  effect: Decision['effect']
  mode: Decision['mode']
  rule_id: string | null
  policy_id: string | null
  policy_version: number | null
  policy_hash: string | null
  args_digest: string
  approval_id: string | null
  session_id: string | null
  on_behalf_of: string | null
  duration_us: number | null
  details: Details | null
  /** What a later record about the result of the decision replaces in `details`. */
  result_details: Details | null
  kid: string | null
  seq: number | null
  prev: string | null
  hash: string | null
}

/** SQL for the columns of a `RecordRow`. `r` is the alias of the row of `decision_records`. */
export const recordColumns = `r.decision_id as "decisionId", r.at, r.retention_days as "retentionDays", r.filed_at as "filedAt", r.received_at,
  r.agent_id, r.environment_id, r.edge_id, r.tool, r.effect, r.mode, r.rule_id, r.policy_id, r.policy_version, r.policy_hash, r.args_digest,
  r.approval_id, r.session_id, r.on_behalf_of, r.duration_us, r.details, r.result_details, r.kid, r.seq,
  encode(r.prev_hash, 'hex') as prev, encode(r.record_hash, 'hex') as hash`

const readText = `select ${recordColumns} from decision_records r
  where r.tenant_id = $1 and r.decision_id = any($2::uuid[]) and r.retention_days = $3
    and r.filed_at >= $4::timestamptz and r.filed_at <= $5::timestamptz`

/** Reads decisions by their keys, in the order of the keys. Run it with `planForValues`. */
export async function readRecords(db: Sql, keys: readonly FoundRow[]): Promise<RecordRow[]> {
  const byRetention = Map.groupBy(keys, ({ retentionDays }) => retentionDays)
  const found = await Promise.all([...byRetention].map(([retention, same]) => readRetention(db, retention, same)))
  const records = new Map(found.flat().map((row) => [row.decisionId, row]))
  return keys.flatMap(({ decisionId }) => records.get(decisionId) ?? [])
}

// One statement for each retention: PostgreSQL plans only the partitions of the days if the retention is compared with one value.
function readRetention(db: Sql, retention: number, keys: readonly FoundRow[]): Promise<RecordRow[]> {
  const filed = keys.map(({ filedAt }) => filedAt)
  return db.all(
    raw<RecordRow>(readText, [
      db.tenantId,
      keys.map(({ decisionId }) => decisionId),
      retention,
      filed.reduce((one, other) => (other < one ? other : one)),
      filed.reduce((one, other) => (other > one ? other : one)),
    ]),
  )
}

/** The names of what a decision refers to, and what is known of its chain. */
interface Names {
  agent_name: string | null
  edge_name: string | null
  policy_name: string | null
  rule_name: string | null
  is_broken: boolean
  anchored_by: string | null
}

// A rule that was deleted is looked up in the policy version that decided.
const namesStatement = statementsBySight({}, ({ sight }) => {
  const isNamed = isNamedInRecord(sight, 'g.environment_id')
  return namedSql<Names>(`
  select a.name as agent_name, e.name as edge_name, d.name as policy_name,
    coalesce(
      (select q.name from policy_rules q join policies p on p.tenant_id = :tenantId and p.id = q.policy_id
        where q.tenant_id = :tenantId and q.id = g.rule_id and ${isNamed}),
      case when g.rule_id is not null and d.id is not null then (select rule.value ->> 'name' from policy_versions v
        cross join lateral jsonb_array_elements(v.snapshot -> 'rules') rule
        where v.tenant_id = :tenantId and v.policy_id = d.id and v.version = g.policy_version and rule.value ->> 'id' = g.rule_id::text
        limit 1) end) as rule_name,
    coalesce(g.seq >= k.broken_from, false) as is_broken,
    case when g.kid is not null then (select n.entry_id from decision_anchors n
      where n.tenant_id = :tenantId and n.kid = g.kid and n.seq >= g.seq order by n.seq limit 1) end as anchored_by
  from unnest(:agentIds::uuid[], :environmentIds::uuid[], :edgeIds::uuid[], :policyIds::uuid[], :versions::int[], :ruleIds::uuid[],
      :kids::text[], :seqs::bigint[])
    with ordinality as g (agent_id, environment_id, edge_id, policy_id, policy_version, rule_id, kid, seq, place)
  left join agents a on a.tenant_id = :tenantId and a.id = g.agent_id
  left join edges e on e.tenant_id = :tenantId and e.id = g.edge_id
  left join lateral (select p.id, p.name from policies p where p.tenant_id = :tenantId and p.id = g.policy_id and ${isNamed}) d on true
  left join edge_keys k on k.tenant_id = :tenantId and k.kid = g.kid
  order by g.place`)
})

/**
 * Returns the JSON of decisions that the actor sees, with the names of what they refer to. The name of a policy or rule is null if it may not be
 * named to the actor.
 */
export async function nameDecisions(tx: Tx, actor: Member, records: readonly RecordRow[]): Promise<Decision[]> {
  if (records.length === 0) return []
  const column = <K extends keyof RecordRow>(name: K) => records.map((record) => record[name])
  const values = {
    agentIds: column('agent_id'),
    environmentIds: column('environment_id'),
    edgeIds: column('edge_id'),
    policyIds: column('policy_id'),
    versions: column('policy_version'),
    ruleIds: column('rule_id'),
    kids: column('kid'),
    seqs: column('seq'),
  }
  const [, names] = await Promise.all([planOnce(tx), tx.all(namesStatement(actor, {}, values))])
  return records.map((record, at) => decisionOf({ ...record, ...(names[at] as Names) }))
}

function decisionOf(row: RecordRow & Names): Decision {
  const details: Details = { ...row.details, ...row.result_details }
  const { labels = null, content = null, chain = null, threat = null, profile = null, denied_because = null } = details
  return {
    decision_id: row.decisionId,
    agent: { id: row.agent_id, name: row.agent_name },
    edge: row.edge_id === null ? null : { id: row.edge_id, name: row.edge_name },
    environment_id: row.environment_id,
    tool: row.tool,
    effect: row.effect,
    mode: row.mode,
    rule: row.rule_id === null ? null : { id: row.rule_id, name: row.rule_name },
    denied_because: row.effect === 'deny' ? denied_because : null,
    policy:
      row.policy_id === null
        ? null
        : { id: row.policy_id, name: row.policy_name, version: row.policy_version, content_hash: row.policy_hash },
    args_digest: row.args_digest,
    approval_id: row.approval_id,
    session_id: row.session_id,
    on_behalf_of: row.on_behalf_of,
    chain,
    labels,
    content,
    threat,
    duration_us: row.duration_us,
    profile,
    integrity: row.kid === null ? 'unsigned' : row.is_broken ? 'broken' : 'signed',
    receipt: receiptOf(row),
    at: row.at,
    received_at: row.received_at,
  }
}

function receiptOf({ kid, seq, prev, hash, received_at, anchored_by }: RecordRow & Names): Decision['receipt'] {
  if (kid === null || seq === null || prev === null || hash === null) return null
  return { kid, seq, prev, hash, checked_at: received_at, anchored_by }
}

export interface DecisionKey extends FoundRow {
  /** The decision whose result this record describes. */
  resultOf: string | null
}

const findStatement = statementsBySight({}, ({ sight }) => {
  const isVisible = narrowedBy(sight, {
    bound: 'r.environment_id = :environmentId',
    scoped: `(${agentOfRecordIsVisible('scoped', 'r')})`,
  })
  return namedSql<DecisionKey>(`
    select r.decision_id as "decisionId", r.at, r.retention_days as "retentionDays", r.filed_at as "filedAt", r.result_of as "resultOf"
    from decision_records r
    where r.tenant_id = :tenantId and r.decision_id = :id and r.retention_days = :retention::int and r.filed_at = :filedAt::timestamptz
      and ${isVisible} is true and r.at >= :now::timestamptz - make_interval(days => r.retention_days)
      and r.filed_at >= :now::timestamptz - make_interval(days => r.retention_days)
    limit 1`)
})

/** Finds a decision that the actor sees and that has not expired. `filedAt` is the time by which it is filed. */
export async function findDecision(
  db: Sql,
  actor: Member,
  { id, filedAt, now }: { id: string; filedAt: string; now: string },
): Promise<DecisionKey | undefined> {
  const found = await Promise.all(
    decisionRetentions.map((retention) => db.maybe(findStatement(actor, {}, { id, filedAt, now, retention }))),
  )
  return found.find((key) => key !== undefined)
}

/** Returns the time by which a decision is filed whose id is not a UUIDv7. */
export async function findFiledAt(db: Sql, id: string): Promise<string | undefined> {
  const text = 'select filed_at from decision_ids where tenant_id = $1 and decision_id = $2'
  return (await db.maybe(raw<{ filed_at: string }>(text, [db.tenantId, id])))?.filed_at
}
