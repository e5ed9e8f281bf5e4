import type { AgentFilters } from '@mandate/contract/agents'
import type { GovernanceMode } from '@mandate/policy/types'
import { sql as fragment, type RawBuilder } from 'kysely'
import { driftSql } from '../../agent-state/drift.ts'
import { governanceModeOf, governanceModeSql } from '../../agent-state/governance-mode.ts'
import type { Member } from '../../authz/actor.ts'
import { anyLike, sightOf, sightValues } from '../../authz/sight.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { slot } from '../../db/shaped-statement.ts'
import { coverage, coverageStateSql, evidenceJoins } from './coverage-queries.ts'
import { type JsonColumns, type JsonRow, toColumns } from './json-columns.ts'
import {
  bare,
  bareOrNull,
  fieldsAfter,
  type JsonText,
  objectUnlessNull,
  time,
  timeOrNull,
  toSql,
  word,
  wordOrNull,
} from './json-text.ts'
import { narrowingsOf } from './list-narrowing.ts'
import { type Shaped, shape } from './statement-shapes.ts'

const governanceMode = governanceModeSql({ policy: 'p', environment: 'e' })

// What depends on the agent's row alone stands written in it (`wire_fields`); the rest depends on other rows, or on now.
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
    }),
    drift: bareOrNull(driftSql({ agent: 'a', policyId: 'r.running_policy_id', hash: 'r.running_hash' })),
    last_heartbeat_at: timeOrNull('r.last_heartbeat_at'),
    execution_coverage_state: word(coverageStateSql),
    execution_coverage: coverage,
  }),
  { literal: '}' },
]

/** The time of the request, as `q`. */
const requestTime = fragment`cross join (select ${slot('now')}::timestamptz as now) q`
const requestTimeAndText = fragment`cross join (select ${slot('now')}::timestamptz as now, ${slot('now')}::text as now_text) q`

const placeAndPolicy = `
  left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
  left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id`

const joins = fragment.raw(`${placeAndPolicy}
  left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
  ${evidenceJoins}`)

interface PageRow {
  /** The agents' JSON, joined by commas; null for an empty page. */
  items: string | null
  /** How many were found, at most one more than the page holds. */
  found: number
  last_id: string | null
}

const pageJson = (page: RawBuilder<unknown>) => fragment<PageRow>`
  select string_agg(item, ',') filter (where n <= ${slot('size')}::int) as items, count(*) as found,
    (array_agg(id))[${slot('size')}::int] as last_id
  from (select w.id, w.item, row_number() over () as n
    from (select a.id, ${fragment.raw(toSql(agent))} as item from (${page}) a ${requestTimeAndText} ${joins} order by a.id desc) w) o`

interface OneAgent {
  /** What it is, among all that is read of one agent. */
  name: string
  json: JsonColumns
  joins: RawBuilder<unknown>
}

const wholeAgent: OneAgent = { name: 'agent', json: toColumns(agent), joins }
const coverageOnly: OneAgent = {
  name: 'coverage',
  json: toColumns(coverage),
  joins: fragment.raw(evidenceJoins),
}

/** What is known of an agent that was just inserted. */
export interface Newborn {
  /** The part of its JSON that its row holds. */
  wireFields: string
  environment: { governance_mode: GovernanceMode; wire_json: string }
  policy: { override_mode: GovernanceMode | 'inherit'; wire_json: string } | undefined
}

/** The JSON of an agent that was just inserted, on which there is no report and no evidence yet. */
export function newbornJson({ wireFields, environment, policy }: Newborn, now: string): string {
  const { write, rowOf } = wholeAgent.json
  const row = rowOf({
    'a.wire_fields': wireFields,
    [governanceMode]: policy ? governanceModeOf(policy, environment) : null,
    'e.wire_json': environment.wire_json,
    'p.wire_json': policy?.wire_json,
    [coverageStateSql]: 'unknown',
  })
  return write(row, { now })
}

/** One agent that the actor sees, as JSON; undefined for one they do not, and for an unknown id. */
export function findAgentJson(db: Sql, actor: Member, id: string, now: string): Promise<string | undefined> {
  return findOne(wholeAgent, db, actor, id, now)
}

/** The execution coverage of an agent that the actor sees, as JSON. */
export function findCoverageJson(db: Sql, actor: Member, id: string, now: string): Promise<string | undefined> {
  return findOne(coverageOnly, db, actor, id, now)
}

async function findOne({ name, json, joins }: OneAgent, db: Sql, actor: Member, id: string, now: string) {
  const statement = shape<JsonRow>(
    `${name} ${sightOf(actor)}`,
    () => fragment`select ${fragment.raw(json.select)} from agents a ${requestTime} ${joins}
      where a.tenant_id = ${slot('tenantId')} and a.id = ${slot('id')} and ${agentVisibleTo(anyLike(actor), 'a')}`,
  )
  const row = await db.maybe(statement({ ...valuesOf(db, actor), id, now }))
  return row && json.write(row, { now })
}

/** A page of the agents that the actor sees, newest first, those after `afterId`, of a list that an index has. */
export function findAgentsJson(
  db: Sql,
  actor: Member,
  filters: AgentFilters,
  afterId: string | undefined,
  now: string,
): Promise<PageRow> {
  const values = {
    ...filters,
    ...valuesOf(db, actor),
    afterId,
    now,
    size: filters.page_size,
    more: filters.page_size + 1,
  }
  return db.one(listStatement(actor, filters, afterId !== undefined)(values))
}

/** The JSON of agents, joined by commas, newest first; null if there are none. */
export async function findListedJson(tx: Tx, actor: Member, ids: readonly string[], now: string) {
  const statement = shape(`listed ${sightOf(actor)}`, () =>
    pageJson(fragment`select a.* from unnest(${slot('ids')}::uuid[]) i (id) cross join lateral (select a.* from agents a
      where a.tenant_id = ${slot('tenantId')} and a.id = i.id and ${agentVisibleTo(anyLike(actor), 'a')} offset 0) a`),
  )
  return (await tx.one(statement({ ...valuesOf(tx, actor), ids, now, size: ids.length }))).items
}

// A limit that is a parameter is planned as a tenth of all there is. This one above it tells the truth, without which the
// statement would look cheaper planned anew for every request, and be.
const mostRead = 201

function listStatement(actor: Member, filters: AgentFilters, isLaterPage: boolean): Shaped<PageRow> {
  const [narrowing] = narrowingsOf(actor, filters)
  return shape(`list ${sightOf(actor)} ${isLaterPage} ${narrowing?.name}`, () => {
    const conditions = [
      fragment`a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')}`,
      agentVisibleTo(anyLike(actor), 'a'),
      ...(isLaterPage ? [fragment`a.id < ${slot('afterId')}`] : []),
      ...(narrowing?.ordered ? [narrowing.ordered] : []),
    ]
    return pageJson(fragment`
      select * from (select a.* from agents a where ${fragment.join(conditions, fragment` and `)}
        order by a.id desc limit ${fragment.raw(String(mostRead))}) a limit ${slot('more')}`)
  })
}

const valuesOf = (db: Sql, actor: Member) => ({ tenantId: db.tenantId, ...sightValues(actor) })
