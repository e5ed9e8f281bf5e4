import { recordAudit } from '../../../audit/record-audit.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { withinTenant } from '../../../db/tenants/within-tenant.ts'
import { sendMail } from '../../../mail/send-mail.ts'
import { revokeKeysOfUser } from '../../api-keys/revoke-key.ts'
import { endUnprovedDelegations } from '../../delegations/end-delegations.ts'
import { lockHolder, releaseAddress } from '../account/proved-address-queries.ts'
import { findUserOfAddress } from '../account/queries.ts'

/**
 * Takes a mail address from a user who never verified it. Runs if a person who was invited to another tenant has just verified
 * the address. The account and the API keys of the old user stop working, and the
 * user's delegations end. The old user becomes pending, and the organization of
 * the old user keeps its data. `address` is in lower case.
 * Returns true if no user has the address now.
 */
export async function releaseUnprovedAddress(tx: Tx, ctx: Ctx<null>, address: string): Promise<boolean> {
  const found = await findUserOfAddress(tx, address)
  if (!found) return true
  return await withinTenant(tx, found.tenant_id, async (other) => {
    const holder = await lockHolder(other, found.user_id)
    if (!holder?.account_id || holder.email_verified) return false
    await releaseAddress(other, holder.id, holder.account_id)
    const name = holder.display_name || holder.email
    const end = { because: 'address_proved', created_by_name: name } as const
    const api_keys_revoked = await revokeKeysOfUser(other, ctx, holder.id, end)
    await recordAudit(other, ctx, 'user.address_released', {
      resource: { type: 'user', id: holder.id, name },
      details: { email: holder.email, api_keys_revoked },
    })
    await endUnprovedDelegations(other, ctx, holder.id)
    await sendMail(other, ctx.services, releasedMail(holder.email, holder.tenant_id))
    return true
  })
}

function releasedMail(to: string, tenantId: string) {
  return {
    to,
    tenantId,
    subject: 'An unconfirmed account with your address was closed',
    text: [
      'You have accepted an invitation to Mandate. Before that, someone had registered another organization with your address and never confirmed the address.',
      'That account was closed and its API keys were revoked. Its organization keeps its data, but nobody can sign in to it with your address any more.',
      'If it was your organization, ask the operator of this server about it.',
    ].join('\n\n'),
  }
}
