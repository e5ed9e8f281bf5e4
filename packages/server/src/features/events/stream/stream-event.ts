import { type EventType, eventTypes } from '@mandate/contract/events'
import type { AuditEvent } from '../../../audit/events.ts'
import type { EventRow } from '../../../events/event-row.ts'
import type { FreezeReaders } from '../../freezes/confirmations/freeze-readers.ts'

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
  'agent.key_rotated': 'agent.changed',
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
  'policy.content_bindings_updated': 'policy.saved',
}

/** Audit entries about freezes, and the event that each is. A drill has the event of a freeze, with `drill: true`. */
const freezeEntries: Partial<Record<string, EventType>> = {
  'freeze.started': 'freeze.started',
  'freeze.lifted': 'freeze.lifted',
  'freeze.drilled': 'freeze.started',
}

/** True if the row is an audit entry about a freeze or drill. Its events have different readers. */
export const isAboutFreeze = ({ isAudited, type }: EventRow): boolean => isAudited && Object.hasOwn(freezeEntries, type)

/** An event as a stream sends it. */
export interface StreamEvent {
  id: string
  type: EventType
  /** Who may receive the event: `row` means everybody who may read the row. Otherwise everybody who may read the freeze. */
  readers: 'row' | FreezeReaders
  /** The lines of the event. */
  text: string
}

/**
 * The events that a row is read as: `audit.recorded` for an audit entry, and the events of the change. Rows that only servers read give none.
 */
export function eventsOf(row: EventRow, tenantId: string): StreamEvent[] {
  const resource = { type: row.resourceType, id: row.resourceId }
  if (!row.isAudited) {
    return Object.hasOwn(eventTypes, row.type) ? [eventOf(row, { type: row.type as EventType, resource })] : []
  }
  const entry = { type: 'audit_entry', id: row.id }
  const more = { about: resource }
  const recorded = eventOf(row, { id: auditId(row.id), type: 'audit.recorded', resource: entry, more })
  if (isAboutFreeze(row)) return [recorded, ...freezeEventsOf(row, tenantId)]
  const type = typeOfEntry[row.type as AuditEvent]
  return type ? [recorded, eventOf(row, { type, resource })] : [recorded]
}

/**
 * A freeze and its end are one event about the freeze, and one about its target, because agents of the target change: an event for each agent
 * would be too many. A drill changes no agent. For users who perhaps see an agent of the target, the event does not say what the target is.
 */
function freezeEventsOf(row: EventRow, tenantId: string): StreamEvent[] {
  const type = freezeEntries[row.type] as EventType
  const isDrill = row.type === 'freeze.drilled'
  const freeze = eventOf(row, {
    type,
    resource: { type: 'freeze', id: row.resourceId },
    more: isDrill ? { drill: true } : {},
    readers: 'freeze',
  })
  if (isDrill) return [freeze]
  const changed = { id: `${row.id}.agents`, type: 'agent.changed', resource: targetOf(row, tenantId) } as const
  const anywhere = { ...changed, resource: { type: 'tenant', id: tenantId } }
  const withoutPlace = { ...row, agentId: null, environmentId: null }
  return [
    eventOf(row, { ...changed, readers: 'agents' }),
    eventOf(withoutPlace, { ...anywhere, readers: 'many agents' }),
    freeze,
  ]
}

/** The target of a freeze. `agentId` of its row is set only for an agent. */
function targetOf({ agentId, environmentId }: EventRow, tenantId: string) {
  if (agentId !== null) return { type: 'agent', id: agentId }
  return environmentId !== null ? { type: 'environment', id: environmentId } : { type: 'tenant', id: tenantId }
}

interface EventPart {
  /** The id of the row unless it is set. */
  id?: string
  type: EventType
  resource: { type: string; id: string }
  more?: Record<string, unknown>
  readers?: StreamEvent['readers']
}

function eventOf(row: EventRow, { id = row.id, type, resource, more, readers = 'row' }: EventPart): StreamEvent {
  const { at, agentId, environmentId, details } = row
  const data = {
    id,
    type,
    at,
    resource,
    ...(agentId && { agent_id: agentId }),
    ...(environmentId && { environment_id: environmentId }),
    ...details,
    ...more,
  }
  return { id, type, readers, text: eventText(type, id, data) }
}

/** Text without a line break is one line of `data`. JSON has no line breaks. */
export const eventText = (type: string, id: string, data: unknown) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`

// The event with the id of the row is sent last. So a client that has this id has all events of the row.
const auditId = (rowId: string) => `${rowId}.audit`

/**
 * Returns the row or the position that an event id names, and whether it was the last event of the row. Other events of a row have the id of the
 * row and a suffix.
 */
export function rowOfEvent(id: string): { rowId: string; isWhole: boolean } {
  const [rowId = '', suffix] = id.split('.', 2)
  return { rowId, isWhole: suffix === undefined }
}
