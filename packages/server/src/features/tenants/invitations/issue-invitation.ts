import type { Invited } from '@mandate/contract/tenants'
import type { z } from 'zod'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import { seesWholeTenant } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { digest, newLinkToken } from '../../../security/credentials.ts'
import type { StoredTenant } from '../lock-tenant.ts'
import { invitationMail } from './invitation-mail.ts'
import {
  type findByAddressLocked,
  insertPendingUser,
  type PendingUser,
  replaceInvitationToken,
  updatePendingUser,
} from './invitation-queries.ts'

const lifetimeMs = 7 * 24 * 60 * 60 * 1000

type Held = NonNullable<Awaited<ReturnType<typeof findByAddressLocked>>>
type Wanted = Pick<PendingUser, 'email' | 'role' | 'academyOnly' | 'readOnly'>

/** Creates the first invitation of an address. Its access scope is `scoped` if the caller sees only a part of the tenant. */
export async function createInvitation(tx: Tx, ctx: Ctx<Member>, tenant: StoredTenant, wanted: Wanted) {
  const accessScope = seesWholeTenant(ctx.actor) ? 'all' : 'scoped'
  const user: PendingUser = { id: newId(), ...wanted, accessScope }
  await insertPendingUser(tx, user, ctx.now)
  return await issue(tx, ctx, tenant, user, { renewed: false })
}

/**
 * Renews an invitation with a new role and `readOnly`. If the new role is owner, the access scope becomes `all`. Otherwise, if the caller sees
 * only a part of the tenant, the access scope becomes `scoped`.
 */
export async function renewInvitation(tx: Tx, ctx: Ctx<Member>, tenant: StoredTenant, held: Held, wanted: Wanted) {
  const accessScope = wanted.role === 'owner' ? 'all' : seesWholeTenant(ctx.actor) ? held.access_scope : 'scoped'
  const user: PendingUser = { ...wanted, id: held.id, email: held.email, accessScope }
  await updatePendingUser(tx, user)
  return await issue(tx, ctx, tenant, user, { renewed: true, old_role: held.role })
}

async function issue(
  tx: Tx,
  ctx: Ctx<Member>,
  tenant: StoredTenant,
  user: PendingUser,
  details: Record<string, unknown>,
): Promise<z.output<typeof Invited>> {
  const { id, email, role, academyOnly, readOnly, accessScope } = user
  const token = newLinkToken()
  const expiresAt = new Date(Date.parse(ctx.now) + lifetimeMs).toISOString()
  const invitedBy = ctx.actor.userId
  await replaceInvitationToken(tx, { userId: id, tokenHash: digest(token), invitedBy, createdAt: ctx.now, expiresAt })
  await recordAudit(tx, ctx, 'user.invited', {
    resource: { type: 'user', id, name: email },
    details: { email, role, academy_only: academyOnly, read_only: readOnly, access_scope: accessScope, ...details },
  })
  const link = `${ctx.services.config.publicUrl}/join?token=${token}`
  const inviter = ctx.actor.displayName
  const organization = tenant.name
  await sendMail(
    tx,
    ctx.services,
    invitationMail({ to: email, tenantId: tx.tenantId, organization, inviter, academyOnly, link }),
  )
  return {
    user_id: id,
    tenant_id: tx.tenantId,
    email,
    role,
    read_only: readOnly,
    message: `An invitation for ${email} has been created.`,
    mail_delivery: ctx.services.config.smtpUrl ? 'mail_server' : 'folder',
  }
}
