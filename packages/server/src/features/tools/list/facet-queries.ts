import { mostCountedTools, type ToolFacets } from '@mandate/contract/tools'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sight } from '../../../authz/sight.ts'
import { environmentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { filteredAgentIsVisible, isToolOfAgent, matchesSearch, type ToolFilter, toolState } from '../tool-queries.ts'

/** The filters of the tool list for which the number of tools with each value is counted. */
export type ToolFacet = Exclude<keyof ToolFacets, 'total' | 'is_whole'>

export interface FacetRow {
  /** `total` for all tools of the list. `tested` for the tools that were looked at. */
  facet: ToolFacet | 'total' | 'tested'
  key: string
  name: string
  count: number
}

/** Values of one facet that are returned. */
const mostValues = 50

/** The condition of each filter, for a tool `t` with its state and the types of its warnings. */
const conditions: Record<ToolFacet, string> = {
  state: '(:state::text is null or t.state = :state)',
  server: '(:server::text is null or t.server = :server)',
  label: '(:label::text is null or :label = any (t.labels))',
  warning: '(:warning::text is null or :warning = any (t.types))',
  environment_id: '(:environment::uuid is null or t.environment_id = :environment::uuid)',
}

/** The values of each facet for one tool. */
const values: Record<ToolFacet, string> = {
  state: 'select t.state',
  server: 'select t.server',
  label: 'select unnest(t.labels)',
  warning: 'select unnest(t.types)',
  environment_id: 'select t.environment_id::text',
}
const facets = Object.keys(conditions) as ToolFacet[]

const passes = (filters: readonly ToolFacet[]) => filters.map((filter) => conditions[filter]).join(' and ')
const countsOf = (facet: ToolFacet) => `select '${facet}' as facet, v.key, sum(t.tools)::int as count
  from matching t cross join lateral (${values[facet]}) v (key) where ${passes(facets.filter((other) => other !== facet))} group by v.key`

/** The columns that the filters read. Others, such as the description, would make the statement slower. */
const columns = `t.tenant_id, t.id, t.environment_id, t.tool, t.server, t.name, t.title, t.labels, t.pins, t.block_reason, t.latest_hash`

/**
 * SQL for the tools that the caller sees. If the caller does not see all environments, the statement reads one visible environment after the other.
 * So tools of other environments cost nothing.
 */
const toolsInSight = (sight: Sight) =>
  sight === 'all'
    ? `select ${columns} from tools t where t.tenant_id = :tenantId order by t.id`
    : `select ${columns} from environments cross join lateral (
        select * from tools where tools.tenant_id = :tenantId and tools.environment_id = environments.id order by tools.tool offset 0) t
      where environments.tenant_id = :tenantId and ${environmentIsVisible(sight)}`

// Tools with the same server, environment, labels, state and warnings are one row of `matching`, with their number. The server is the first column
// of the grouping: it has the most different values, so most comparisons end after this column.
const statement = statementsBySight({ hasAgent: [false, true] }, ({ sight, hasAgent }) =>
  namedSql<FacetRow>(`
    with tested as materialized (
      ${toolsInSight(sight)} limit ${mostCountedTools + 1}),
    matching as materialized (
      select t.server, t.environment_id, t.labels, ${toolState} as state,
        case when d.hash is null then '{}' else array(select distinct w->>'type' from jsonb_array_elements(d.warnings) w) end as types,
        count(*) as tools
      from (select * from tested limit ${mostCountedTools}) t
      left join tool_definitions d on d.tenant_id = t.tenant_id and d.tool_id = t.id and d.hash = t.latest_hash and d.warnings <> '[]'
      where ${matchesSearch} ${hasAgent ? `and ${filteredAgentIsVisible(sight)} and ${isToolOfAgent}` : ''}
      group by 1, 2, 3, 4, 5),
    named as (
      select c.facet, c.key, c.count, case c.facet when 'environment_id' then (select e.name from environments e
          where e.tenant_id = :tenantId and e.id = c.key::uuid) else c.key end as name
      from (${facets.map(countsOf).join(' union all ')}) c),
    counted as (
      select n.*, row_number() over (partition by n.facet order by n.count desc, n.name, n.key) as place from named n)
    (select facet, key, name, count from counted where place <= ${mostValues} order by facet, place)
    union all select 'total', '', '', coalesce(sum(t.tools), 0)::int from matching t where ${passes(facets)}
    union all select 'tested', '', '', count(*)::int from tested`),
)

/** Counts the tools that match the filter by the values of each filter. Looks at 10,000 tools. */
export function findToolFacets(db: Sql, actor: Member, filter: ToolFilter, now: string): Promise<FacetRow[]> {
  const { agentId, environmentId, ...rest } = filter
  const values = { ...rest, environment: environmentId, now, ...(agentId !== null && { agentId }) }
  return db.all(statement(actor, { hasAgent: agentId !== null }, values))
}
