import type { Via } from '@mandate/contract/auth'
import type { Tenant } from '@mandate/contract/tenants'
import type { User } from '@mandate/contract/users'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { toWireTenant } from '../../tenants/wire-tenant.ts'
import { toWireUser } from '../../users/wire-user.ts'
import { findSession } from '../account/session-queries.ts'

type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>

/**
 * Returns the calling user, their tenant, and information about the credential that they use. @throws 404 if the user was removed
 * during the request
 */
export async function getSession(
  ctx: Ctx<Member>,
): Promise<{ user: User; tenant: Tenant; via: Via; email_verified: boolean }> {
  const { userId, key } = ctx.actor
  const row = await findSession(ctx.sql, userId, key?.environmentId ?? null)
  if (!row) throw notFound('user')
  return {
    user: toWireUser(row),
    tenant: toWireTenant(row, 'tenant_'),
    via: viaOf(row, key),
    email_verified: row.email_verified,
  }
}

function viaOf(row: SessionRow, key: Member['key']): Via {
  if (!key) return { type: 'session' }
  const { environment_id: id, environment_name: name, environment_slug: slug } = row
  const environment = id === null ? null : { id, name, slug }
  return { type: 'api_key', id: key.id, prefix: key.prefix, environment, scopes: [...key.scopes] }
}
