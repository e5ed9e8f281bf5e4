import type { User } from '@mandate/contract/users'
import { type AuditSource, recordAudit } from '../../../audit/record-audit.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { personOf } from '../account/person-of.ts'

/** Writes the audit entry of a sign-in, with the user as the actor, in a transaction of the tenant. */
export async function recordSignIn(tx: Tx, ctx: Ctx<null>, user: User, by: 'password' | 'federated'): Promise<void> {
  const source: AuditSource = {
    actor: personOf(user, null),
    request: ctx.request,
    now: ctx.now,
    services: ctx.services,
  }
  const resource = { type: 'user', id: user.id, name: user.display_name || user.email }
  await recordAudit(tx, source, 'user.signed_in', { resource, details: { by } })
}
