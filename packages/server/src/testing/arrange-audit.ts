import type { AuditEvent } from '../audit/events.ts'
import { type AuditSource, type AuditSubject, recordAudit } from '../audit/record-audit.ts'
import { newId } from '../db/new-id.ts'
import type { TestServer } from './start-test-server.ts'

/** Writes an entry as a change of the service itself would. */
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
