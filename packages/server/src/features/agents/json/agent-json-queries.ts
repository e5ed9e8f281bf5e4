import { type AgentFilters, maxAgentsPage } from '@mandate/contract/agents'
import type { GovernanceMode } from '@mandate/policy/types'
import { driftSql } from '../../../agent-state/drift.ts'
import { frozenOfTenantSql, frozenSql, hasFreezeSql } from '../../../agent-state/frozen.ts'
import { governanceModeOf, governanceModeSql } from '../../../agent-state/governance-mode.ts'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { sightOf } from '../../../authz/sight.ts'
import { agentIsVisible } from '../../../authz/visibility.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'
import { coverage, coverageStateSql, evidenceJoins } from './coverage-queries.ts'
import { type JsonRow, toColumns } from './json-columns.ts'
import {
  bare,
  bareOrNull,
  fieldsAfter,
  type JsonText,
  known,
  objectUnlessNull,
  text,
  time,
  timeOrNull,
  toSql,
  word,
  wordOrNull,
} from './json-text.ts'
import { narrowingsOf, ordered, orderedFilters } from './list-narrowing.ts'

const governanceMode = governanceModeSql({ policy: 'p', environment: 'e' })
const isFrozen = frozenOfTenantSql({ agent: 'a', tenantId: ':tenantId' })

/**
 * SQL: when the key was rotated, while no edge has reported with the new key. An edge that is gone for a day no longer counts if another
 * edge reports the agent. `agent_runtime` then says when.
 */
const newKeyUnusedSince = `case when a.key_rotated_at is not null and coalesce(
    (select max(n.seen_at) from edge_instances n where n.tenant_id = a.tenant_id and n.credential_id = a.id),
    r.last_heartbeat_at) < a.key_rotated_at
  then a.key_rotated_at end`

// The generated column `wire_fields` stores the JSON of all fields that depend only on the agent's row. A list request reads
// this finished JSON.
// To add a field to the JSON, add one line to this list, such as `purpose: text('a.purpose')`. The column `wire_fields` need
// not change.
const agent: JsonText = [
  { literal: '{' },
  ...bare('a.wire_fields'),
  ...fieldsAfter({
    governance_mode: wordOrNull(governanceMode),
    environment: bareOrNull('e.wire_json'),
    policy: bareOrNull('p.wire_json'),
    running_policy: objectUnlessNull('r.running_policy_id', {
      id: word('r.running_policy_id'),
      version: bareOrNull('r.running_version'),
      reported_at: time('r.reported_at'),
      content_hash: wordOrNull('r.running_hash'),
      since: timeOrNull('r.running_since'),
      edge: objectUnlessNull('r.running_edge_id', {
        id: word('r.running_edge_id'),
        name: text('r.running_edge_name'),
        version: text('r.running_edge_version'),
      }),
    }),
    drift: bareOrNull(driftSql({ agent: 'a', policyId: 'r.running_policy_id', hash: 'r.running_hash' })),
    last_heartbeat_at: timeOrNull('r.last_heartbeat_at'),
    frozen: known('frozen', bareOrNull(isFrozen)),
    new_key_unused_since: known('newKeyUnusedSince', timeOrNull(newKeyUnusedSince)),
    execution_coverage_state: word(coverageStateSql),
    execution_coverage: coverage,
  }),
  { literal: '}' },
]

/** SQL join that adds the time of the request, as `q.now`. */
const requestTime = 'cross join (select :now::timestamptz as now) q'
const requestTimeAndText = 'cross join (select :now::timestamptz as now, :now::text as now_text) q'

const placeAndPolicy = `
  left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
  left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id`

const joins = `${placeAndPolicy}
  left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
  ${evidenceJoins}`

interface PageRow {
  /** The agents' JSON, joined by commas; null for an empty page. */
  items: string | null
  /** Number of agents that were found. It is one more than the page size if there is a next page. */
  found: number
  last_id: string | null
}

/**
 * SQL that returns a page as JSON. `agents` is SQL that selects the agents of the page, and one more agent if there is a next
 * page.
 */
export const pageOf = (agents: string, order = 'a.id desc') =>
  namedSql<PageRow>(`
    select string_agg(item, ',') filter (where n <= :size::int) as items, count(*) as found,
      (array_agg(id))[:size::int] as last_id
    from (select w.id, w.item, row_number() over () as n
      from (select a.id, ${toSql(agent)} as item from (${agents}) a ${requestTimeAndText} ${joins} order by ${order}) w) o`)

/** SQL of a column. It is false if the fields of `RareFields` certainly have their usual values. */
const mayHaveRareFields = `, ${hasFreezeSql(':tenantId')} or a.key_rotated_at is not null as may_have_rare_fields`

/**
 * The two JSON texts that a statement can return: a whole agent, or only its coverage. `joins` are the SQL joins that the JSON
 * needs.
 */
const parts = {
  agent: { json: toColumns(agent), more: mayHaveRareFields, joins },
  coverage: { json: toColumns(coverage), more: '', joins: evidenceJoins },
}

/** Fields of an agent that nearly always have the same value. A read of one agent looks them up only if they may have another one. */
interface RareFields {
  frozen: boolean
  newKeyUnusedSince: string | null
}

const usual: RareFields = { frozen: false, newKeyUnusedSince: null }

const rareFields = namedStatement(
  namedSql<RareFields>(`
    select ${frozenSql({ agent: 'a', tenantId: ':tenantId' })} as frozen, ${newKeyUnusedSince} as "newKeyUnusedSince"
    from agents a left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
    where a.tenant_id = :tenantId and a.id = :id`),
)

const writeAgent = (row: JsonRow, { frozen, newKeyUnusedSince }: RareFields, now: string): string =>
  parts.agent.json.write(row, {
    now,
    frozen: JSON.stringify(frozen),
    newKeyUnusedSince: JSON.stringify(newKeyUnusedSince),
  })

/** The values of a new agent that are known without a query. */
export interface InsertedAgent {
  /** The value of the column `wire_fields`: the JSON fields that are stored in the agent's row. */
  wireFields: string
  frozen: boolean
  environment: { governance_mode: GovernanceMode; wire_json: string }
  policy: { override_mode: GovernanceMode | 'inherit'; wire_json: string } | undefined
}

/** Writes the JSON of a new agent without running a query. A new agent has no heartbeat and no evidence. */
export function newAgentJson({ wireFields, frozen, environment, policy }: InsertedAgent, now: string): string {
  const row = parts.agent.json.rowOf({
    'a.wire_fields': wireFields,
    [governanceMode]: policy ? governanceModeOf(policy, environment) : null,
    'e.wire_json': environment.wire_json,
    'p.wire_json': policy?.wire_json,
    [coverageStateSql]: 'unknown',
  })
  return writeAgent(row, { ...usual, frozen }, now)
}

const oneAgent = statementsBySight({ part: ['agent', 'coverage'] }, ({ sight, part }) => {
  const { json, more, joins } = parts[part]
  return namedSql<JsonRow>(`select ${json.select}${more} from agents a ${requestTime} ${joins}
    where a.tenant_id = :tenantId and a.id = :id and ${agentIsVisible(sight, 'a')}`)
})

/** Returns an agent as JSON; undefined for an unknown id and for an agent that the actor does not see. */
export async function findAgentJson(db: Sql, actor: Member, id: string, now: string): Promise<string | undefined> {
  const row = await db.maybe(oneAgent(actor, { part: 'agent' }, { id, now }))
  if (!row) return undefined
  const rare = row.may_have_rare_fields ? await db.maybe(rareFields({ tenantId: db.tenantId, id })) : usual
  return rare && writeAgent(row, rare, now)
}

/** Returns the execution coverage of an agent as JSON; undefined for an unknown id and for an agent that the actor does not see. */
export async function findCoverageJson(db: Sql, actor: Member, id: string, now: string): Promise<string | undefined> {
  const row = await db.maybe(oneAgent(actor, { part: 'coverage' }, { id, now }))
  return row && parts.coverage.json.write(row, { now })
}

const listedAgents = statementsBySight({ order: ['newest', 'given'] }, ({ sight, order }) => {
  const visible = `cross join lateral (select a.* from agents a
    where a.tenant_id = :tenantId and a.id = i.id and ${agentIsVisible(sight, 'a')} offset 0) a`
  if (order === 'newest') return pageOf(`select a.* from unnest(:ids::uuid[]) i (id) ${visible}`)
  return pageOf(`select a.*, i.place from unnest(:ids::uuid[]) with ordinality i (id, place) ${visible}`, 'a.place')
})

/**
 * Returns the JSON of the agents that the actor sees, joined by commas, newest first or in the order of `ids`. Returns null if
 * no agent is found.
 */
export async function findListedJson(
  tx: Tx,
  actor: Member,
  ids: readonly string[],
  now: string,
  order: 'newest' | 'given' = 'newest',
) {
  return (await tx.one(listedAgents(actor, { order }, { ids, now, size: ids.length }))).items
}

// PostgreSQL estimates a parameterised limit as 10 % of the rows. This constant limit gives the planner the real bound, so it keeps
// the generic plan.
const mostRead = maxAgentsPage + 1

const agentPage = statementsBySight(
  { filter: ['none', ...orderedFilters], isLaterPage: [false, true] },
  ({ sight, filter, isLaterPage }) => {
    const conditions = [
      'a.tenant_id = :tenantId and a.governance_state = :governance_state',
      agentIsVisible(sight, 'a'),
      ...(isLaterPage ? ['a.id < :afterId'] : []),
      ...(filter === 'none' ? [] : [ordered[filter]]),
    ]
    return pageOf(`select * from (select a.* from agents a where ${conditions.join(' and ')}
      order by a.id desc limit ${mostRead}) a limit :more`)
  },
)

/**
 * Returns a page of the agents that the actor sees, newest first, after `afterId`. Call this only if `isPageOfIndex` is true for
 * the list.
 */
export function findAgentsJson(
  db: Sql,
  actor: Member,
  filters: Omit<AgentFilters, 'sort'>,
  afterId: string | undefined,
  now: string,
): Promise<PageRow> {
  const [narrowing] = narrowingsOf(sightOf(actor), filters)
  const filter = orderedFilters.find((name) => name === narrowing) ?? 'none'
  const values = { ...filters, afterId, now, size: filters.page_size, more: filters.page_size + 1 }
  return db.one(agentPage(actor, { filter, isLaterPage: afterId !== undefined }, values))
}
