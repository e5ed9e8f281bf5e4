import type { Edge } from '@mandate/contract/edge'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sight } from '../../../authz/sight.ts'
import { environmentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists/bounded-count.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { lacksOfInstances } from './lacks.ts'

/** How long an instance may be quiet, in seconds, and the time that is this long ago. An edge that was last heard earlier is silent. */
export interface Quiet {
  seconds: number
  silentBefore: string
}

export interface EdgeFilters {
  silent: boolean | undefined
  environmentId: string | undefined
}

const isSilent = (edge: 'edges' | 'f') => `${edge}.last_heartbeat_at < :silentBefore::timestamptz`

/** Silent edges first, then the newest. */
const sorted = (edge: 'edges' | 'f') => `coalesce(${isSilent(edge)}, false) desc, ${edge}.id desc`

const conditions = { any: 'true', silent: isSilent('edges'), heard: `not (${isSilent('edges')})` } as const
const filters = { heard: ['any', 'silent', 'heard'], inOne: [false, true] } as const

interface Shape {
  sight: Sight
  heard: keyof typeof conditions
  inOne: boolean
}

/** SQL for a `from` clause and its conditions: the edges of a list. */
const listed = ({ sight, heard, inOne }: Shape) => `edges
  join environments on environments.tenant_id = edges.tenant_id and environments.id = edges.environment_id
  where edges.tenant_id = :tenantId and edges.revoked_at is null and ${environmentIsVisible(sight)}
    and ${conditions[heard]} and ${inOne ? 'edges.environment_id = :inEnvironment' : 'true'}`

/**
 * SQL that adds to the edges `f` what their instances reported. Only the instances count that were heard shortly before the newest
 * heartbeat. A scoped user gets no number of agents, because it would include agents that they do not see.
 */
const withInstances = (sight: Sight, found: string) => `
  with f as materialized (select edges.* from ${found})
  select f.id, f.tenant_id, f.name, f.environment_id, f.key_prefix, f.created_by, f.created_at, f.last_heartbeat_at,
    ${isSilent('f')} as silent, i.version,
    ${sight === 'all' || sight === 'bound' ? 'i.agents' : 'null::integer'} as agents_served, i.closes_at, i.lacks
  from f left join lateral (
    select (array_agg(i.edge_version order by i.seen_at desc))[1] as version, sum(i.agents)::integer as agents,
      case when bool_and(i.closes_at is not null) then max(i.closes_at) end as closes_at,
      ${lacksOfInstances} as lacks
    from edge_instances i where i.tenant_id = :tenantId and i.credential_id = f.id
      and i.seen_at >= f.last_heartbeat_at - :seconds * interval '1 second') i on true`

const pageOf = statementsBySight(filters, (shape) =>
  namedSql<Edge>(`${withInstances(shape.sight, `${listed(shape)} order by ${sorted('edges')} limit :limit offset :offset`)}
  order by ${sorted('f')}`),
)

const totalOf = statementsBySight(filters, (shape) =>
  namedSql<{ total: number }>(`select ${boundedCount(listed(shape))} as total`),
)

const oneOf = statementsBySight({}, ({ sight }) =>
  namedSql<Edge>(withInstances(sight, `${listed({ sight, heard: 'any', inOne: false })} and edges.id = :id`)),
)

const countOf = statementsBySight({}, ({ sight }) =>
  namedSql<{
    total: number
    silent: number
  }>(`select ${boundedCount(listed({ sight, heard: 'any', inOne: false }))} as total,
    ${boundedCount(listed({ sight, heard: 'silent', inOne: false }))} as silent`),
)

/** Returns one page of the edges in the environments that the actor has access to, silent edges first, then the newest. */
export async function findEdges(
  db: Sql,
  actor: Member,
  { silent, environmentId }: EdgeFilters,
  { seconds, silentBefore }: Quiet,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ edges: Edge[]; total: number }> {
  const heard = silent === undefined ? 'any' : silent ? 'silent' : 'heard'
  const shape = { heard, inOne: environmentId !== undefined } as const
  const values = { seconds, silentBefore, inEnvironment: environmentId ?? null, limit, offset }
  const [edges, { total }] = await Promise.all([
    db.all(pageOf(actor, shape, values)),
    db.one(totalOf(actor, shape, values)),
  ])
  return { edges, total }
}

export function findEdge(db: Sql, actor: Member, id: string, { seconds, silentBefore }: Quiet) {
  return db.maybe(oneOf(actor, {}, { id, seconds, silentBefore }))
}

/** Counts the edges in the environments that the actor has access to. Each count stops at 10,000. */
export function countVisibleEdges(db: Sql, actor: Member, { silentBefore }: Quiet) {
  return db.one(countOf(actor, {}, { silentBefore }))
}
