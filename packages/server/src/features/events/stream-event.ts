import { type EventType, eventTypes } from '@mandate/contract/events'
import type { AuditEvent } from '../../audit/events.ts'
import type { EventRow } from '../../events/event-row.ts'

/** The event that an audit entry is for readers who follow the resource. Entries without a line are only `audit.recorded`. */
const typeOfEntry: Partial<Record<AuditEvent, EventType>> = {
  'approval.requested': 'approval.requested',
  'approval.resolved': 'approval.resolved',
  'approval.consumed': 'approval.consumed',
  'approval.expired': 'approval.expired',
  'review.opened': 'review.opened',
  'review.resolved': 'review.resolved',
  'finding.opened': 'finding.opened',
  'finding.closed': 'finding.closed',
  'agent.created': 'agent.changed',
  'agent.updated': 'agent.changed',
  'agent.archived': 'agent.changed',
  'agent.suppressed': 'agent.changed',
  'agent.suspended': 'agent.changed',
  'agent.resumed': 'agent.changed',
  'agent.policy_assigned': 'agent.changed',
  'agent.lifecycle.changed': 'agent.changed',
  'agent.discovered': 'agent.changed',
  'policy.created': 'policy.saved',
  'policy.updated': 'policy.saved',
  'policy.rule_created': 'policy.saved',
  'policy.rule_updated': 'policy.saved',
  'policy.rule_deleted': 'policy.saved',
  'policy.restored': 'policy.saved',
  'policy.deleted': 'policy.saved',
}

/** An event as a stream sends it. */
export interface StreamEvent {
  id: string
  type: EventType
  /** The lines of the event. */
  text: string
}

/**
 * The events that a row is read as: `audit.recorded` for an audit entry, and the event of the change. Rows that only servers read give none.
 */
export function eventsOf(row: EventRow): StreamEvent[] {
  if (!row.isAudited && !Object.hasOwn(eventTypes, row.type)) return []
  if (!row.isAudited) return [eventOf(row, row.id, row.type as EventType, row.resourceType, row.resourceId)]
  const recorded = eventOf(row, auditId(row.id), 'audit.recorded', 'audit_entry', row.id)
  const type = typeOfEntry[row.type as AuditEvent]
  return type ? [recorded, eventOf(row, row.id, type, row.resourceType, row.resourceId)] : [recorded]
}

function eventOf(row: EventRow, id: string, type: EventType, resourceType: string, resourceId: string): StreamEvent {
  const { at, agentId, environmentId, details } = row
  const data = {
    id,
    type,
    at,
    resource: { type: resourceType, id: resourceId },
    ...(agentId && { agent_id: agentId }),
    ...(environmentId && { environment_id: environmentId }),
    ...details,
  }
  return { id, type, text: eventText(type, id, data) }
}

/** Text without a line break is one line of `data`. JSON has no line breaks. */
export const eventText = (type: string, id: string, data: unknown) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`

// `audit.recorded` is sent before the event of the change. So a client that has the id of the row has both.
const auditId = (rowId: string) => `${rowId}.audit`

/** Returns the row of an event id, and whether it was the last event of the row. Other events of a row have the id of the row and a suffix. */
export function rowOfEvent(id: string): { rowId: string; isWhole: boolean } {
  const [rowId = '', suffix] = id.split('.', 2)
  return { rowId, isWhole: suffix === undefined }
}
