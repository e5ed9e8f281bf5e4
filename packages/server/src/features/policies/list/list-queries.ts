import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sight } from '../../../authz/sight.ts'
import { listedPolicyIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { boundedCount, countedAtMost } from '../../../db/lists/bounded-count.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import type { PolicyRow, PolicyWithRules } from '../queries.ts'

export type PolicySort = 'created_at' | 'name' | 'updated_at'

export interface PolicyFilters {
  environmentId: string | undefined
  search: string | undefined
}

export interface PolicyPage {
  sort: PolicySort
  /** Whether the policies have their rules. */
  hasRules: boolean
  limit: number
  offset: number
}

export type ListedPolicy = PolicyRow & { agents: number; rules?: PolicyWithRules['rules'] }

const orders: Record<PolicySort, string> = {
  created_at: 'p.id desc',
  name: 'lower(p.name), p.id',
  updated_at: 'p.updated_at desc, p.id desc',
}

const columns = `p.id, p.tenant_id, p.name, p.description, p.environment_id, p.override_mode, p.default_effect, p.dlp_enabled, p.version,
  p.created_at, p.updated_at`

const rules = `coalesce((
  select json_agg(json_build_object('id', r.id, 'name', r.name, 'priority', r.priority, 'enabled', r.enabled,
    'effect', r.effect, 'match', r.match, 'reason', r.reason, 'limit', r."limit") order by r.priority)
  from policy_rules r where r.tenant_id = :tenantId and r.policy_id = p.id), '[]') as rules`

interface Filtered {
  sight: Sight
  isInOne: boolean
  isSearch: boolean
}

// Uses strpos instead of LIKE, because `%` and `_` have a special meaning in LIKE.
const found = `(strpos(lower(p.name), lower(:search)) > 0 or exists (select from policy_rules r
  where r.tenant_id = :tenantId and r.policy_id = p.id and strpos(lower(r.name), lower(:search)) > 0))`

/** SQL for a `from` clause and its conditions: the policies `p` of a list. */
const listed = ({ sight, isInOne, isSearch }: Filtered) => `policies p
  where p.tenant_id = :tenantId and ${listedPolicyIsVisible(sight)} and ${isInOne ? 'p.environment_id = :inEnvironment' : 'true'}
    and ${isSearch ? found : 'true'}`

/**
 * SQL that counts the agents of policy `p` that the actor sees. A user limited by grants may have many grants, and a policy may have many
 * agents that they do not see. So their grants are read once for all policies of the page, and at most 10,000 of them.
 */
function agentsOf(sight: Sight): { before: string; count: string } {
  const live = `agents a where a.tenant_id = :tenantId and a.policy_id = p.id and a.status <> 'archived'`
  if (sight === 'all') return { before: '', count: boundedCount(live) }
  if (sight === 'bound') return { before: '', count: boundedCount(`${live} and a.environment_id = :environmentId`) }
  const inEnvironment = sight === 'scoped+bound' ? 'and a.environment_id = :environmentId' : ''
  return {
    before: `, granted as materialized (
      select a.policy_id, count(*) as agents
      from (select r.agent_id from agent_grants r where r.tenant_id = :tenantId and r.user_id = :userId limit ${countedAtMost}) g
      cross join lateral (select a.policy_id, a.status, a.environment_id from agents a
        where a.tenant_id = :tenantId and a.id = g.agent_id offset 0) a
      where a.status <> 'archived' and a.policy_id in (select p.id from p) ${inEnvironment}
      group by a.policy_id)`,
    count: 'coalesce((select g.agents from granted g where g.policy_id = p.id), 0)',
  }
}

/** SQL that adds to the policies that `select` finds the number of their agents, and their rules if `hasRules`. */
function withAgents(sight: Sight, select: string, { hasRules, order }: { hasRules: boolean; order: string }): string {
  const { before, count } = agentsOf(sight)
  return `with p as materialized (select ${columns} from ${select})${before}
    select ${columns}, ${count} as agents ${hasRules ? `, ${rules}` : ''} from p order by ${order}`
}

const filters = { isInOne: [false, true], isSearch: [false, true] } as const

const pageOf = statementsBySight(
  { ...filters, sort: ['created_at', 'name', 'updated_at'], hasRules: [true, false] },
  ({ sort, hasRules, ...shape }) => {
    const order = orders[sort]
    const select = `${listed(shape)} order by ${order} limit :limit offset :offset`
    return namedSql<ListedPolicy>(withAgents(shape.sight, select, { hasRules, order }))
  },
)

const totalOf = statementsBySight(filters, (shape) =>
  namedSql<{ total: number }>(`select ${boundedCount(listed(shape))} as total`),
)

const oneOf = statementsBySight({}, ({ sight }) => {
  const select = `${listed({ sight, isInOne: false, isSearch: false })} and p.id = :id`
  return namedSql<PolicyWithRules & { agents: number }>(withAgents(sight, select, { hasRules: true, order: 'p.id' }))
})

const countOf = statementsBySight({}, ({ sight }) => {
  const select = `${listed({ sight, isInOne: false, isSearch: false })} and p.id = :id`
  return namedSql<{ agents: number }>(withAgents(sight, select, { hasRules: false, order: 'p.id' }))
})

/** Returns one page of the policies that the actor sees, and their count. */
export async function findPolicies(db: Sql, actor: Member, { environmentId, search }: PolicyFilters, page: PolicyPage) {
  const { limit, offset, ...form } = page
  const shape = { isInOne: environmentId !== undefined, isSearch: search !== undefined }
  const values = { inEnvironment: environmentId ?? null, search: search ?? null, limit, offset }
  const [rows, { total }] = await Promise.all([
    db.all(pageOf(actor, { ...shape, ...form }, values)),
    db.one(totalOf(actor, shape, values)),
  ])
  return { rows, total }
}

export function findPolicyWithAgents(db: Sql, actor: Member, id: string) {
  return db.maybe(oneOf(actor, {}, { id }))
}

/** Counts the agents of a policy that the actor sees. A policy that the actor does not see any more has none. */
export async function countAgents(db: Sql, actor: Member, id: string): Promise<number> {
  return (await db.maybe(countOf(actor, {}, { id })))?.agents ?? 0
}
