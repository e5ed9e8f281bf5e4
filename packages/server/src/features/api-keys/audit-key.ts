import type { AuditSubject } from '../../audit/record-audit.ts'
import type { KeyRow } from './queries.ts'

/**
 * The fields of a key that an audit entry records: also what the key may do, because the key's row can be deleted later. The key
 * string and its hash are never recorded.
 */
export function keySubject(key: KeyRow, details: Record<string, unknown>): AuditSubject {
  const { key_prefix, name, created_by, scopes, expires_at } = key
  return {
    resource: { type: 'api_key', id: key.id, name },
    details: { key_prefix, name, created_by, scopes, ...(expires_at !== null && { expires_at }), ...details },
    environmentId: key.environment_id,
  }
}

/** Audit details with the environment that a key is bound to; empty for a tenant-wide key. */
export function boundTo(key: KeyRow): Record<string, string> {
  return key.environment_id === null ? {} : { environment_id: key.environment_id }
}
