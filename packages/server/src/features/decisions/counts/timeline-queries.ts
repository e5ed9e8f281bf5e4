import type { TimelineQuery } from '@mandate/contract/decisions'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Grain } from '../records/count-decisions.ts'
import { otherTool } from '../records/kinds.ts'
import { isNamedInCounts } from '../records/named-policies.ts'
import type { ToolFilter } from '../records/tool-filter.ts'
import { countTables } from './count-queries.ts'

/** What the counts of a request are read by. */
export interface CountFilter {
  of: 'agents' | 'edge' | 'tenant'
  /** Ids of agents, of an edge, or of those that stand for the whole tenant. */
  subjects: readonly string[]
  /** Only calls that this edge sent. Only with agents as subjects. */
  edgeId: string | null
  policyId: string | null
  ruleId: string | null
  environmentId: string | null
  effect: string | null
  mode: string | null
  tool: ToolFilter
  /** Start of the first bucket, included. ISO 8601. */
  from: string
  /** End, not included. */
  to: string
}

/** The key of calls that no other key counts. */
export const otherKey = 'other'
/** The key of calls without a rule, a policy or an environment. */
export const noneKey = 'none'

/** SQL condition on a count `c` and its kind `k`, with the values of `valuesOfFilter` as $1 to $12. */
export const isWantedCount = `c.tenant_id = $1 and c.subject_id = any($2::uuid[]) and c.bucket >= $3::timestamptz and c.bucket < $4::timestamptz
      and ($5::uuid is null or c.edge_id = $5::uuid) and ($6::uuid is null or k.policy_id = $6::uuid)
      and ($7::uuid is null or k.rule_id = $7::uuid) and ($8::uuid is null or k.environment_id = $8::uuid)
      and ($9::text is null or k.effect = $9::text) and ($10::text is null or k.mode = $10::text)
      and ($11::text is null or k.tool = $11::text) and ($12::text is null or k.tool ~ $12::text)`

export function valuesOfFilter(db: Sql, filter: CountFilter): unknown[] {
  const { subjects, edgeId, policyId, ruleId, environmentId, effect, mode, tool, from, to } = filter
  return [
    db.tenantId,
    subjects,
    from,
    to,
    edgeId,
    policyId,
    ruleId,
    environmentId,
    effect,
    mode,
    tool.exact,
    tool.regex,
  ]
}

/** Calls with the tool `other` are counted without their rule, and some without their policy. So they belong to the key `other`. */
const otherOrNone = `case when k.tool = '${otherTool}' then '${otherKey}' else '${noneKey}' end`

const keyOf: Record<TimelineQuery['group_by'] | 'environment', string> = {
  effect: 'k.effect',
  agent: 'c.subject_id::text',
  tool: 'k.tool',
  rule: `coalesce(k.rule_id::text, ${otherOrNone})`,
  policy: `coalesce(k.policy_id::text, ${otherOrNone})`,
  environment: `coalesce(k.environment_id::text, '${noneKey}')`,
}

export type CountKey = keyof typeof keyOf

export interface CountRow {
  bucket: string
  key: string
  effect: 'allow' | 'deny' | 'require_approval'
  calls: number
}

/** How counts are added up. Without `byBucket`, all buckets are added up. */
interface Grouping {
  grain: Grain
  key: CountKey
  byBucket: boolean
  /** Most keys with counts of their own. */
  mostKeys: number
}

const texts = new Map<string, string>()

/** The text has one form for each grain and key, so it is prepared once for each. */
function textOf({ grain, key, byBucket }: Grouping): string {
  const name = `${grain} ${key} ${byBucket}`
  const bucket = byBucket ? 'c.bucket' : `'epoch'::timestamptz(3)`
  const text =
    texts.get(name) ??
    `with sums as materialized (
      select ${bucket} as bucket, ${keyOf[key]} as key, k.effect, sum(c.calls) as calls
      from ${countTables[grain]} c join decision_kinds k on k.tenant_id = $1 and k.id = c.kind_id
      where ${isWantedCount}
      group by 1, 2, 3),
    shown as (
      select key, row_number() over (order by sum(calls) desc, key collate "C") as place from sums
      where key <> '${otherKey}' group by key order by place limit $13)
    select s.bucket, coalesce(t.key, '${otherKey}') as key, s.effect, sum(s.calls)::bigint as calls
    from sums s left join shown t on t.key = s.key
    group by 1, 2, 3, t.place order by t.place, 1, 3`
  texts.set(name, text)
  return text
}

/**
 * Adds up counts by bucket, key and effect. The keys with the most calls come first. The calls of all keys after the first `mostKeys`
 * are added up under `other`, which comes last. Run it with `planForValues`.
 */
export function findCounts(db: Sql, filter: CountFilter, grouping: Grouping): Promise<CountRow[]> {
  return db.all(raw<CountRow>(textOf(grouping), [...valuesOfFilter(db, filter), grouping.mostKeys]))
}

const nameStatements = statementsBySight({ kind: ['agent', 'rule', 'policy', 'environment'] }, ({ sight, kind }) => {
  const isNamed = isNamedInCounts(sight)
  const texts = {
    agent: 'select id, name from agents where tenant_id = :tenantId and id = any(:ids::uuid[])',
    rule: `select q.id, q.name from policy_rules q join policies p on p.tenant_id = :tenantId and p.id = q.policy_id
        where q.tenant_id = :tenantId and q.id = any(:ids::uuid[]) and ${isNamed}`,
    policy: `select p.id, p.name from policies p where p.tenant_id = :tenantId and p.id = any(:ids::uuid[]) and ${isNamed}`,
    environment: 'select id, name from environments where tenant_id = :tenantId and id = any(:ids::uuid[])',
  }
  return namedSql<{ id: string; name: string }>(texts[kind])
})

/**
 * Returns the names of objects by id. Leaves out deleted objects, and policies and rules that may not be named to the actor. A caller who sees
 * counts sees the names of the agents and environments in them, so this function does not check their visibility again.
 */
export async function findNames(
  db: Sql,
  actor: Member,
  kind: 'agent' | 'rule' | 'policy' | 'environment',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.all(nameStatements(actor, { kind }, { ids }))
  return new Map(rows.map(({ id, name }) => [id, name]))
}
