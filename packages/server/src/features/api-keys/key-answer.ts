import type { ApiKey } from '@mandate/contract/api-keys'
import type { May } from '../../authz/may.ts'
import type { KeyRow } from './queries.ts'

/** The response for a key. Fields without a value are left out. */
export function keyAnswer(row: KeyRow & Partial<May>): ApiKey {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    created_by: row.created_by,
    name: row.name,
    key_prefix: row.key_prefix,
    scopes: row.scopes,
    ...(row.environment_id !== null && { environment_id: row.environment_id }),
    ...(row.expires_at !== null && { expires_at: row.expires_at }),
    ...(row.last_used_at !== null && { last_used_at: row.last_used_at }),
    ...(row.revoked_at !== null && { revoked_at: row.revoked_at }),
    created_at: row.created_at,
    ...(row.may && { may: row.may, may_not: row.may_not }),
  }
}
