import type { Actor } from '../authz/actor.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/new-id.ts'
import { raw } from '../db/statement.ts'
import type { RequestInfo } from '../http/ctx.ts'
import { type AuditEvent, auditEvents } from './events.ts'

export interface AuditSubject {
  /** What was acted on. The name is a snapshot: it outlives the row. */
  resource: { type: string; id: string; name: string }
  details?: Record<string, unknown>
  /** Entries about an agent are shown to those who see the agent. */
  agentId?: string | null
  environmentId?: string | null
  source?: 'control_plane' | 'edge'
}

/** The part of a context an entry is written from. */
export interface AuditSource {
  actor: Actor | null
  request: RequestInfo
  now: string
}

const insertEntry = `
  with entry as (
    insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_user_id, actor_name,
      actor_email, api_key_id, api_key_prefix, api_key_name, resource_type, resource_id, resource_name, agent_id,
      environment_id, details, request_id, ip, user_agent, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
  )
  insert into audit_unsealed (tenant_id, entry_id) values ($1, $2)`

/** Writes an entry in the transaction that makes the change: both stand or neither does. */
export async function recordAudit(tx: Tx, by: AuditSource, event: AuditEvent, subject: AuditSubject): Promise<void> {
  const actor = describeActor(by.actor)
  const { resource } = subject
  await tx.all(
    raw(insertEntry, [
      tx.tenantId,
      newId(),
      subject.source ?? 'control_plane',
      event,
      auditEvents[event],
      actor.type,
      actor.userId,
      actor.name,
      actor.email,
      actor.key?.id ?? null,
      actor.key?.prefix ?? null,
      actor.key?.name ?? null,
      resource.type,
      resource.id,
      resource.name,
      subject.agentId ?? null,
      subject.environmentId ?? null,
      JSON.stringify(subject.details ?? {}),
      by.request.id,
      by.request.ip,
      by.request.userAgent,
      by.now,
    ]),
  )
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
