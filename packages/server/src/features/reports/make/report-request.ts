import type { AccessScope, Role } from '@mandate/contract/words/roles'
import type { Member } from '../../../authz/actor.ts'
import { boundEnvironment, hasAuthority } from '../../../authz/can.ts'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Named } from '../snapshot/snapshot-queries.ts'

/**
 * What a job needs to make a report: the access that the user had when they requested the report, the names of the organization and
 * of the environment that the report covers, and its period.
 */
export interface ReportRequest {
  user_id: string
  role: Role
  access_scope: AccessScope
  /** The environment of the key that made the request; null for a person and for a tenant-wide key. */
  key_environment_id: string | null
  environment_id: string | null
  /** A request that an earlier version of the service stored has neither a period nor the name of its user. */
  named: Named
}

export function requestOf(actor: Member, environmentId: string | null, named: ReportRequest['named']): ReportRequest {
  return {
    user_id: actor.userId,
    role: actor.role,
    access_scope: actor.accessScope,
    key_environment_id: boundEnvironment(actor),
    environment_id: environmentId,
    named,
  }
}

/**
 * Returns an actor with the access that the user had when they requested the report. It has no name and no key, because it is only
 * used for reads.
 */
export function askerOf(tenantId: string, request: ReportRequest): Member {
  const environmentId = request.key_environment_id
  return {
    kind: 'person',
    tenantId,
    userId: request.user_id,
    accountId: null,
    email: '',
    displayName: '',
    role: request.role,
    accessScope: request.access_scope,
    academyOnly: false,
    readOnly: false,
    key: environmentId === null ? null : { id: '', prefix: '', name: '', scopes: [], environmentId },
  }
}

/**
 * Returns the reason why the report may no longer be made: the user was removed or lost access, or the environment was deleted.
 * Returns null if the report may be made.
 */
export async function findObstacle(db: Sql, request: ReportRequest): Promise<string | null> {
  const asker = askerOf(db.tenantId, request)
  const found = await db.maybe(
    raw<{ role: Role; access_scope: AccessScope; read_only: boolean; in_reach: boolean }>(
      `select u.role, u.access_scope, u.read_only, $3::uuid is null or exists (select from environments e
         where e.tenant_id = $1 and e.id = $3 and (u.role = 'owner' or u.access_scope = 'all'
           or exists (select from environment_access x
             where x.tenant_id = $1 and x.environment_id = e.id and x.user_id = u.id))) as in_reach
       from users u where u.tenant_id = $1 and u.id = $2 and u.status = 'active' and not u.academy_only`,
      [db.tenantId, request.user_id, request.environment_id],
    ),
  )
  if (!found) return 'the user who requested the report is no longer in the organization'
  const isScopedNow = found.role !== 'owner' && found.access_scope === 'scoped'
  const hasLess = isScopedNow && request.access_scope === 'all'
  if (hasLess || found.read_only || !hasAuthority({ ...asker, role: found.role }, 'member') || !found.in_reach) {
    return 'the user who requested the report no longer has the required access'
  }
  return null
}
