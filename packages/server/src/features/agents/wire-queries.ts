import type { AgentFilters } from '@mandate/contract/agents'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment } from '../../authz/can.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Sql } from '../../db/database.ts'
import type { RawStatement } from '../../db/statement.ts'
import { governanceModeSql } from '../policies/governance-mode.ts'
import { coverage } from './coverage-queries.ts'
import { coverageEvidence, coverageState } from './coverage-state.ts'
import { driftSql } from './drift.ts'
import {
  bare,
  bareOrNull,
  object,
  objectIf,
  text,
  texts,
  time,
  timeOrNull,
  toSql,
  word,
  wordOrNull,
} from './json-text.ts'
import { shapedStatement, slot } from './shaped-statement.ts'

// The database writes the JSON: parsing rows and writing them out again costs more than reading them.

const agent = object({
  id: word('a.id'),
  tenant_id: word('a.tenant_id'),
  name: text('a.name'),
  description: text('a.description'),
  status: word('a.status'),
  source: word('a.source'),
  governance_state: word('a.governance_state'),
  governance_mode: wordOrNull(governanceModeSql),
  lifecycle_status: word('a.lifecycle_status'),
  execution_coverage_state: word(coverageState),
  execution_coverage: coverage,
  environment: objectIf('e.id is not null', { id: word('e.id'), name: text('e.name'), slug: word('e.slug') }),
  policy: objectIf('p.id is not null', { id: word('p.id'), name: text('p.name'), version: bare('p.version') }),
  approved_policy: objectIf('a.approved_policy_id is not null', {
    id: word('a.approved_policy_id'),
    version: bareOrNull('a.approved_version'),
  }),
  running_policy: objectIf('r.running_policy_id is not null', {
    id: word('r.running_policy_id'),
    version: bareOrNull('r.running_version'),
    reported_at: time('r.reported_at'),
  }),
  drift: bareOrNull(driftSql('r.running_policy_id', 'r.running_hash')),
  framework: text('a.framework'),
  model: text('a.model'),
  tools: texts('a.tools'),
  metadata: bare('a.metadata'),
  owner_user_id: wordOrNull('a.owner_user_id'),
  last_heartbeat_at: timeOrNull('r.last_heartbeat_at'),
  created_at: time('a.created_at'),
  updated_at: time('a.updated_at'),
})

/** The time of the request, as `q`. */
const now = fragment`cross join (select ${slot('now')}::timestamptz as now, ${slot('now')}::text as now_text) q`

const joins = fragment`${now} ${fragment.raw(`
  left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
  left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
  left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
  ${coverageEvidence}`)}`

const agentJson = (page: RawBuilder<unknown>) => fragment<{ json: string }>`
  select ${fragment.raw(toSql(agent))} as json from (${page}) a ${joins}`

const coverageOnly = (page: RawBuilder<unknown>) => fragment<{ json: string }>`
  select ${fragment.raw(toSql(coverage))} as json from (${page}) a ${now} ${fragment.raw(coverageEvidence)}`

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
    from (select a.id, ${fragment.raw(toSql(agent))} as item from (${page}) a ${joins} order by a.id desc) w) o`

/** One agent that the actor sees, as JSON; undefined for one they do not, and for an unknown id. */
export async function findAgentJson(db: Sql, actor: Member, id: string, now: string): Promise<string | undefined> {
  return (await db.maybe(oneVisible('agent', actor, agentJson)({ ...valuesOf(db, actor), id, now })))?.json
}

/** The execution coverage of an agent that the actor sees, as JSON. */
export async function findCoverageJson(db: Sql, actor: Member, id: string, now: string): Promise<string | undefined> {
  return (await db.maybe(oneVisible('coverage', actor, coverageOnly)({ ...valuesOf(db, actor), id, now })))?.json
}

/** A page of the agents that the actor sees, newest first, those after `afterId`. */
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

type Build<Row> = (page: RawBuilder<unknown>) => RawBuilder<Row>
type Shaped<Row> = (values: Record<string, unknown>) => RawStatement<Row>

const known = new Map<string, Shaped<never>>()

function shape<Row>(key: string, build: () => RawBuilder<Row>): Shaped<Row> {
  let found = known.get(key) as Shaped<Row> | undefined
  if (!found) {
    found = shapedStatement(build())
    known.set(key, found as Shaped<never>)
  }
  return found
}

function oneVisible<Row>(what: string, actor: Member, build: Build<Row>): Shaped<Row> {
  return shape(`${what} ${sightOf(actor)}`, () =>
    build(fragment`select a.* from agents a
      where a.tenant_id = ${slot('tenantId')} and a.id = ${slot('id')} and ${agentVisibleTo(anyLike(actor), 'a')}`),
  )
}

const conditions = {
  status: fragment`a.status = ${slot('status')}`,
  source: fragment`a.source = ${slot('source')}`,
  lifecycle_status: fragment`a.lifecycle_status = ${slot('lifecycle_status')}`,
  execution_coverage: fragment`${fragment.raw(coverageState)} = ${slot('execution_coverage')}`,
  search: fragment`strpos(lower(a.name), lower(${slot('search')}::text)) > 0`,
}

// A limit that is a parameter is planned as a tenth of all there is. This one above it tells the truth, without which the
// statement would look cheaper planned anew for every request, and be.
const mostRead = 201

function listStatement(actor: Member, filters: AgentFilters, isLaterPage: boolean): Shaped<PageRow> {
  const names = (Object.keys(conditions) as (keyof typeof conditions)[]).filter((name) => filters[name] !== undefined)
  return shape(`list ${sightOf(actor)} ${isLaterPage} ${names}`, () => {
    const wanted = [
      fragment`a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')}`,
      agentVisibleTo(anyLike(actor), 'a'),
      ...(isLaterPage ? [fragment`a.id < ${slot('afterId')}`] : []),
      ...names.map((name) => conditions[name]),
    ]
    const evidence = fragment`${now} ${fragment.raw(coverageEvidence)}`
    return pageJson(fragment`select * from (select a.* from agents a ${names.includes('execution_coverage') ? evidence : fragment``}
      where ${fragment.join(wanted, fragment` and `)} order by a.id desc limit ${fragment.raw(String(mostRead))}) a
      limit ${slot('more')}`)
  })
}

/** What the text of a visibility condition depends on. */
const sightOf = (actor: Member) => `${actor.accessScope} ${boundEnvironment(actor) === null ? 'everywhere' : 'bound'}`

/** An actor who sees by the same rule, with slots for who they are. */
function anyLike(actor: Member): Member {
  const environmentId = boundEnvironment(actor) === null ? null : slot('environmentId')
  return { ...actor, userId: slot('userId'), key: actor.key && { ...actor.key, environmentId } }
}

const valuesOf = (db: Sql, actor: Member) => ({
  tenantId: db.tenantId,
  userId: actor.userId,
  environmentId: boundEnvironment(actor),
})
