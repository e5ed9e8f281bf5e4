import { mostCountedTools, type ToolConditions, type ToolFacets } from '@mandate/contract/tools'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { findToolFacets, type ToolFacet } from './facet-queries.ts'
import { toolFilter } from './list-tools.ts'

/** Counts the tools of a list by the values of each filter. */
export async function countTools(
  { services, actor, now }: Ctx<Member>,
  conditions: ToolConditions,
): Promise<ToolFacets> {
  // A transaction of its own, because the statement would delay the reads that share a connection.
  const rows = await services.db.transaction(actor.tenantId, (tx) =>
    findToolFacets(tx, actor, toolFilter(conditions), now),
  )
  const numberOf = (what: 'total' | 'tested') => rows.find(({ facet }) => facet === what)?.count ?? 0
  const of = (wanted: ToolFacet) =>
    rows.filter(({ facet }) => facet === wanted).map(({ key, name, count }) => ({ key, name, count }))
  return {
    total: numberOf('total'),
    is_whole: numberOf('tested') <= mostCountedTools,
    state: of('state'),
    server: of('server'),
    label: of('label'),
    warning: of('warning'),
    environment_id: of('environment_id'),
  }
}
