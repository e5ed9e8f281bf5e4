import { authenticateWaiting } from '../audit/authenticate-waiting.ts'
import type { AuditEvent } from '../audit/events.ts'
import { type AuditSource, type AuditSubject, recordAudit } from '../audit/record-audit.ts'
import { sealTenant } from '../audit/seal-pending.ts'
import { newId } from '../db/ids/new-id.ts'
import type { TestServer } from './start-test-server.ts'

/** Writes an audit entry with the function that the server uses for its own changes. */
export async function addEntry(
  server: TestServer,
  tenantId: string,
  event: AuditEvent,
  subject: Partial<AuditSubject> = {},
  by: Partial<AuditSource> = {},
): Promise<void> {
  const resource = { type: event.split('.')[0] ?? '', id: newId(), name: event }
  const source: AuditSource = {
    actor: { kind: 'system', tenantId },
    request: { id: 'test', ip: '127.0.0.1', userAgent: 'test' },
    now: new Date().toISOString(),
    services: server.services,
    ...by,
  }
  await server.services.db.transaction(tenantId, (tx) => recordAudit(tx, source, event, { resource, ...subject }))
}

/** Seals all waiting entries, batch by batch. */
export async function sealAll({ services }: TestServer, tenantId: string): Promise<void> {
  while ((await sealTenant(services.db, services, tenantId, new Date().toISOString())) > 0);
}

export interface Filling {
  entries: number
  /** Number of padding characters in the details of each entry. */
  padding?: number
}

/** Inserts many entries at once with valid MACs. Every seventh is `agent.updated`, the others are `agent.created`. */
export async function fillTrail(
  server: TestServer,
  tenantId: string,
  { entries, padding = 0 }: Filling,
): Promise<void> {
  const client = await server.owner.connect()
  try {
    await client.query('begin')
    await client.query(insertMany, [tenantId, entries, padding])
    await authenticateWaiting(client, server.services.entryKeys)
    await client.query('commit')
  } finally {
    client.release()
  }
}

const insertMany = `
  with e as (insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email,
      resource_type, resource_name, details, request_id, ip, user_agent, created_at)
    select $1, ('ff' || substr(gen_random_uuid()::text, 3))::uuid, 'edge',
      case when n % 7 = 0 then 'agent.updated' else 'agent.created' end, 'agent', 'system', 'système', '', 'agent', '',
      jsonb_build_object('n', n, 'big', 12345678901234567890, 'pad', repeat('x', $3)), '', '', '', now()
    from generate_series(1, $2) n returning id)
  insert into audit_unsealed (tenant_id, entry_id) select $1, id from e`
