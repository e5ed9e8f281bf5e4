import { auditEvents } from '../../audit/events.ts'

const known = Object.keys(auditEvents)

/**
 * Returns the event types that a filter such as `user.*` names: all types that begin with the text before the star. Returns null if
 * the filter is a single event type.
 */
export function eventTypesOf(filter: string): string[] | null {
  if (!filter.endsWith('.*')) return null
  const prefix = filter.slice(0, -1)
  return known.filter((type) => type.startsWith(prefix))
}
