import type { AgentFilters } from '@mandate/contract/agents'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment } from '../../authz/can.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Sql } from '../../db/database.ts'
import type { RawStatement } from '../../db/statement.ts'
import { governanceModeSql } from '../policies/governance-mode.ts'
import { coverageEvidence, coverageJson, coverageState, wireTime } from './coverage-queries.ts'
import { shapedStatement, slot } from './shaped-statement.ts'

// The database builds the JSON: parsing rows and writing them out again costs more than reading them.

const wireColumns = fragment`
  a.id, a.tenant_id, a.name, a.description, a.status, a.source, a.governance_state,
  ${fragment.raw(governanceModeSql)} as governance_mode, a.lifecycle_status,
  ${coverageState} as execution_coverage_state, ${coverageJson} as execution_coverage,
  ${fragment.raw(`
  case when e.id is not null then json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) end as environment,
  case when p.id is not null then json_build_object('id', p.id, 'name', p.name, 'version', p.version) end as policy,
  case when a.approved_policy_id is not null
    then json_build_object('id', a.approved_policy_id, 'version', a.approved_version) end as approved_policy,
  case when r.running_policy_id is not null then json_build_object('id', r.running_policy_id,
    'version', r.running_version, 'reported_at', ${wireTime('r.reported_at')}) end as running_policy,
  case when num_nulls(r.running_policy_id, r.running_hash, a.approved_policy_id, a.approved_hash) = 0
    then r.running_policy_id <> a.approved_policy_id or r.running_hash <> a.approved_hash end as drift,
  a.framework, a.model, a.tools, a.metadata, a.owner_user_id,
  ${wireTime('r.last_heartbeat_at')} as last_heartbeat_at, ${wireTime('a.created_at')} as created_at,
  ${wireTime('a.updated_at')} as updated_at`)}`

// One look-up per agent of the page: as plain joins, a generic plan may read the tenant's whole runtime table.
const joins = fragment`
  left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
  left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
  left join lateral (select * from agent_runtime x
    where x.tenant_id = a.tenant_id and x.agent_id = a.id limit 1) r on true
  ${coverageEvidence}`

const agentJson = (page: RawBuilder<unknown>) => fragment<{ json: string }>`
  select row_to_json(w)::text as json from (select ${wireColumns} from (${page}) a ${joins}) w`

const coverageOnly = (page: RawBuilder<unknown>) => fragment<{ json: string }>`
  select ${coverageJson}::text as json from (${page}) a ${coverageEvidence}`

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
  from (select row_to_json(w)::text as item, id, row_number() over () as n
    from (select ${wireColumns} from (${page}) a ${joins} order by a.id desc) w) q`

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
  execution_coverage: fragment`${coverageState} = ${slot('execution_coverage')}`,
  search: fragment`strpos(lower(a.name), lower(${slot('search')}::text)) > 0`,
}

function listStatement(actor: Member, filters: AgentFilters, isLaterPage: boolean): Shaped<PageRow> {
  const names = (Object.keys(conditions) as (keyof typeof conditions)[]).filter((name) => filters[name] !== undefined)
  return shape(`list ${sightOf(actor)} ${isLaterPage} ${names}`, () => {
    const wanted = [
      fragment`a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')}`,
      agentVisibleTo(anyLike(actor), 'a'),
      ...(isLaterPage ? [fragment`a.id < ${slot('afterId')}`] : []),
      ...names.map((name) => conditions[name]),
    ]
    const evidence = names.includes('execution_coverage') ? coverageEvidence : fragment``
    return pageJson(fragment`select a.* from agents a ${evidence}
      where ${fragment.join(wanted, fragment` and `)} order by a.id desc limit ${slot('more')}`)
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
