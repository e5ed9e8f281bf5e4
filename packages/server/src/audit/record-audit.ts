import type { SealableEntry } from '@mandate/contract/audit/audit-chain'
import { entryHash } from '@mandate/proofs/audit-chain'
import type { Actor } from '../authz/actor.ts'
import type { Tx } from '../db/database.ts'
import { newIdNear } from '../db/ids/new-id.ts'
import { raw } from '../db/statements/statement.ts'
import { insertEvent } from '../events/record-event.ts'
import type { EntryKeys } from '../security/entry-keys.ts'
import { type AuditEvent, auditEvents } from './events.ts'

/** The id and the origin of a request, for logs and audit entries. */
export interface RequestInfo {
  id: string
  ip: string
  userAgent: string
}

export interface AuditSubject {
  /** The object that was changed. Its name is copied into the entry, because the object may be deleted later. */
  resource: { type: string; id: string; name: string }
  details?: Record<string, unknown>
  /** The agent that the entry is about. Actors who see this agent may read the entry. */
  agentId?: string | null
  environmentId?: string | null
  source?: 'control_plane' | 'edge'
}

/** The fields of a context that `recordAudit` uses. */
export interface AuditSource {
  actor: Actor | null
  request: RequestInfo
  /** ISO 8601 with milliseconds and `Z`. */
  now: string
  services: { entryKeys: EntryKeys }
}

const insertEntry = `
  with entry as (
    insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_user_id, actor_name,
      actor_email, api_key_id, api_key_prefix, api_key_name, resource_type, resource_id, resource_name, agent_id,
      environment_id, details, request_id, ip, user_agent, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
  ), event as (${insertEvent({
    id: '$2',
    at: '$22',
    type: '$4',
    audience: '$5',
    is_audited: 'true',
    resource_type: '$13',
    resource_id: '$14',
    agent_id: '$16',
    environment_id: '$17',
    details: 'null',
  })})
  insert into audit_unsealed (tenant_id, entry_id, mac) values ($1, $2, $23)`

/**
 * Writes an audit entry and its event in the transaction of the change, so either all are committed or none. Returns the id of the entry.
 */
export async function recordAudit(tx: Tx, by: AuditSource, event: AuditEvent, subject: AuditSubject): Promise<string> {
  const entry = entryOf(tx.tenantId, by, event, subject)
  tx.announce(tx.tenantId)
  const { actor, api_key: key, resource } = entry
  await tx.all(
    raw(insertEntry, [
      entry.tenant_id,
      entry.id,
      entry.source,
      event,
      entry.category,
      actor.type,
      actor.user_id,
      actor.name,
      actor.email,
      key?.id ?? null,
      key?.prefix ?? null,
      key?.name ?? null,
      resource.type,
      resource.id,
      resource.name,
      entry.agent_id ?? null,
      entry.environment_id ?? null,
      JSON.stringify(entry.details),
      entry.request_id,
      entry.ip,
      entry.user_agent,
      entry.created_at,
      by.services.entryKeys.mac(entryHash(entry)),
    ]),
  )
  return entry.id
}

/**
 * Returns the entry in the form in which the sealer will read it, because the MAC is computed over this form. Ids are in lower
 * case, as PostgreSQL returns them.
 */
function entryOf(tenantId: string, by: AuditSource, event: AuditEvent, subject: AuditSubject): SealableEntry {
  const { userId, key, ...actor } = describeActor(by.actor)
  const { type, id, name } = subject.resource
  return {
    tenant_id: tenantId.toLowerCase(),
    category: auditEvents[event],
    id: newIdNear(by.now),
    source: subject.source ?? 'control_plane',
    event_type: event,
    outcome: 'success',
    actor: { ...actor, user_id: userId?.toLowerCase() ?? null },
    ...(key && { api_key: { id: key.id.toLowerCase(), prefix: key.prefix, name: key.name } }),
    resource: { type, id: id.toLowerCase(), name },
    ...(subject.agentId && { agent_id: subject.agentId.toLowerCase() }),
    ...(subject.environmentId && { environment_id: subject.environmentId.toLowerCase() }),
    details: subject.details ?? {},
    request_id: by.request.id,
    ip: by.request.ip,
    user_agent: by.request.userAgent,
    created_at: by.now,
  }
}

function describeActor(actor: Actor | null) {
  switch (actor?.kind) {
    case 'person':
    case 'api_key':
      return { type: actor.kind, userId: actor.userId, name: actor.displayName, email: actor.email, key: actor.key }
    case 'edge':
    case 'agent':
      return { type: actor.kind, userId: null, name: actor.name, email: '', key: null }
    case 'operator':
      return { type: 'operator', userId: null, name: 'operator', email: '', key: null }
    default:
      return { type: 'system', userId: null, name: 'system', email: '', key: null }
  }
}
