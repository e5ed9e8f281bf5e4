import type { AuditSubject } from '../../audit/record-audit.ts'
import type { KeyRow } from './queries.ts'

/** The fields of a key that an audit entry records. The key string and its hash are never recorded. */
export function keySubject(key: KeyRow, details: Record<string, unknown>): AuditSubject {
  return {
    resource: { type: 'api_key', id: key.id, name: key.name },
    details: { key_prefix: key.key_prefix, name: key.name, ...details },
    environmentId: key.environment_id,
  }
}

/** Audit details with the environment that a key is bound to; empty for a tenant-wide key. */
export function boundTo(key: KeyRow): Record<string, string> {
  return key.environment_id === null ? {} : { environment_id: key.environment_id }
}
