import type { AuditSubject } from '../../audit/record-audit.ts'
import type { KeyRow } from './queries.ts'

/** What an entry about a key records of it; never the key itself nor its hash. */
export function keySubject(key: KeyRow, details: Record<string, unknown>): AuditSubject {
  return {
    resource: { type: 'api_key', id: key.id, name: key.name },
    details: { key_prefix: key.key_prefix, name: key.name, ...details },
    environmentId: key.environment_id,
  }
}

/** The environment a key is bound to; nothing for a tenant-wide key. */
export function boundTo(key: KeyRow): Record<string, string> {
  return key.environment_id === null ? {} : { environment_id: key.environment_id }
}
