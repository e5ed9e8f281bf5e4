import type { AuditFilters } from '@mandate/contract/audit/audit'
import { type Expression, sql as fragment, type RawBuilder, type SqlBool } from 'kysely'
import { entryVisibleTo } from '../../audit/entry-visibility.ts'
import type { Member } from '../../authz/actor.ts'
import { lowestIdAfter, lowestIdFrom } from '../../db/ids/id-time.ts'
import { eventTypesOf } from './event-types.ts'

/**
 * Filters that have an index. The index returns the matching audit entries sorted by id, as the list needs them. Filters that
 * usually match few entries come first.
 */
const indexed = ['resource_id', 'agent_id', 'actor_id', 'event_type', 'resource_type', 'source'] as const

const conditions: { [Name in keyof AuditFilters]-?: (value: string) => RawBuilder<SqlBool> } = {
  source: (value) => fragment`e.source = ${value}`,
  event_type: (value) => {
    const types = eventTypesOf(value)
    return types === null ? fragment`e.event_type = ${value}` : fragment`e.event_type = any(${types}::text[])`
  },
  actor_id: (value) => fragment`e.actor_user_id = ${value}`,
  resource_type: (value) => fragment`e.resource_type = ${value}`,
  resource_id: (value) => fragment`e.resource_id = ${value}`,
  agent_id: (value) => fragment`e.agent_id = ${value}`,
  from: (value) => fragment`e.created_at >= ${value} and e.id >= ${lowestIdFrom(value)}`,
  to: (value) => fragment`e.created_at < ${value} and e.id < ${lowestIdAfter(value)}`,
}

/** SQL condition on a row `e` of audit_entries that is true if the actor sees the entry and the entry passes the filters. */
export function isWanted(actor: Member, filters: AuditFilters): Expression<SqlBool> {
  const names = (Object.keys(conditions) as (keyof AuditFilters)[]).filter((name) => filters[name] !== undefined)
  const wanted = names.map((name) => conditions[name](filters[name] as string))
  return fragment<SqlBool>`${fragment.join([entryVisibleTo(actor), ...wanted], fragment` and `)}`
}

/** The filter whose index returns the entries of a page. Undefined if the request has no filter with an index. */
export const drivingFilter = (filters: AuditFilters) => indexed.find((name) => filters[name] !== undefined)

/** SQL condition for the time range of the filters, on the ids of entries. */
export function isInTimeRange({ from, to }: AuditFilters): RawBuilder<SqlBool> {
  const parts = [
    fragment`true`,
    ...(from === undefined ? [] : [fragment`e.id >= ${lowestIdFrom(from)}`]),
    ...(to === undefined ? [] : [fragment`e.id < ${lowestIdAfter(to)}`]),
  ]
  return fragment<SqlBool>`${fragment.join(parts, fragment` and `)}`
}

/**
 * Returns an SQL condition that one index can apply. This index returns the audit entries sorted by id. The condition contains
 * the time range, and the first filter of `indexed` that the request contains. It leaves out all other filters.
 */
export function isCandidate(filters: AuditFilters): RawBuilder<SqlBool> {
  const driving = drivingFilter(filters)
  const isDriven = driving === undefined ? fragment`true` : conditions[driving](filters[driving] as string)
  return fragment<SqlBool>`${isDriven} and ${isInTimeRange(filters)}`
}
