import type { Via } from '@mandate/contract/auth'
import type { Tenant } from '@mandate/contract/tenants'
import type { User } from '@mandate/contract/users'
import type { Member } from '../../../authz/actor.ts'
import type { May } from '../../../authz/may.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { asksForMay, type Include } from '../../../caller/may-part.ts'
import { notFound } from '../../../refusal.ts'
import { findTenantDetails } from '../../tenants/settings/tenant-details.ts'
import { toWireTenant } from '../../tenants/wire-tenant.ts'
import { toWireUser } from '../../users/wire-user.ts'
import { findContacts, findSession } from '../account/session-queries.ts'
import { mayInSession } from './may.ts'

type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>

/**
 * Returns the calling user, their tenant, and information about the credential that they use. @throws 404 if the user was removed
 * during the request
 */
export async function getSession(
  ctx: Ctx<Member>,
  include?: Include,
): Promise<{ user: User; tenant: Tenant; via: Via; email_verified: boolean; contacts?: string[] } & Partial<May>> {
  const { userId, key, academyOnly } = ctx.actor
  const [row, details, contacts] = await Promise.all([
    findSession(ctx.sql, userId, key?.environmentId ?? null),
    // Programs check their key often. They rarely need the seats, which PostgreSQL must count.
    academyOnly || (key && !include?.includes('seats')) ? undefined : findTenantDetails(ctx.sql),
    academyOnly ? findContacts(ctx.sql) : undefined,
  ])
  if (!row) throw notFound('user')
  return {
    user: toWireUser(row),
    tenant: { ...toWireTenant(row, 'tenant_'), ...details },
    via: viaOf(row, key),
    email_verified: row.email_verified,
    ...(contacts && { contacts }),
    ...(asksForMay(include) && (await mayInSession(ctx))),
  }
}

function viaOf(row: SessionRow, key: Member['key']): Via {
  if (!key) return { type: 'session' }
  const { environment_id: id, environment_name: name, environment_slug: slug } = row
  const environment = id === null ? null : { id, name, slug }
  return { type: 'api_key', id: key.id, prefix: key.prefix, environment, scopes: [...key.scopes] }
}
