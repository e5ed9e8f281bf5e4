import type { Tx } from '../db/database.ts'
import { newIdNear } from '../db/ids/new-id.ts'
import { raw } from '../db/statements/statement.ts'
import type { Audience } from './event-row.ts'
import { slotOf } from './slots.ts'

export interface NewEvent {
  type: string
  audience: Audience
  resource: { type: string; id: string }
  agentId?: string | null
  environmentId?: string | null
  /** What the event says besides its resource. Readers of the event get all of it. */
  details?: Record<string, unknown>
  /** ISO 8601. */
  at: string
}

/** SQL for an insert into `events`. The fields are SQL expressions of the columns. */
export const insertEvent = (row: Record<(typeof columns)[number], string>) => `
  insert into events (tenant_id, slot, place, xact_id, snapshot, stored_at, ${columns.join(', ')})
  values ($1, ${slotOf('now()')}, nextval('event_places'), pg_current_xact_id(), pg_current_snapshot(), now(),
    ${columns.map((column) => row[column]).join(', ')})`

const columns = [
  'id',
  'at',
  'type',
  'audience',
  'is_audited',
  'resource_type',
  'resource_id',
  'agent_id',
  'environment_id',
  'details',
] as const

const insertUnaudited = insertEvent({
  id: '$2',
  at: '$3',
  type: '$4',
  audience: '$5',
  is_audited: 'false',
  resource_type: '$6',
  resource_id: '$7',
  agent_id: '$8',
  environment_id: '$9',
  details: '$10',
})

/**
 * Writes an event without an audit entry, in the transaction of the change. `recordAudit` writes the event of an audit entry. After the commit,
 * all instances that have readers of the tenant read the event.
 */
export async function recordEvent(tx: Tx, event: NewEvent): Promise<void> {
  const { type, audience, resource, agentId = null, environmentId = null, details, at } = event
  tx.announce(tx.tenantId)
  await tx.all(
    raw(insertUnaudited, [
      tx.tenantId,
      newIdNear(at),
      at,
      type,
      audience,
      resource.type,
      resource.id,
      agentId,
      environmentId,
      details ? JSON.stringify(details) : null,
    ]),
  )
}
