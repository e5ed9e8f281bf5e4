import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import { conflict, invalid, throwIfRefused } from '../../../refusal.ts'
import { lockTenantToDelete } from '../lock-tenant.ts'
import { tenantDeletionRefusal } from '../rules.ts'
import { requireOwnTenant } from '../settings/get-tenant.ts'
import { identityOfTenant } from './identity-of-tenant.ts'
import { deleteTenantRows, findAccountsLocked, lockEdgeKeys } from './tenant-deletion-queries.ts'

export function requireMayDeleteTenant(ctx: Ctx<Member>, tenantId: string): void {
  requireOwnTenant(ctx, tenantId)
  throwIfRefused(tenantDeletionRefusal(ctx.actor))
}

/**
 * Deletes the tenant with all its data and the sign-in accounts of its users. The audit trail is kept. `confirm` must be the
 * tenant's exact name.
 * @throws 409 if a sign-in account cannot be deleted; then nothing is deleted and the caller may try again
 */
export async function deleteTenant(ctx: Ctx<Member>, tenantId: string, confirm: string): Promise<void> {
  requireMayDeleteTenant(ctx, tenantId)
  await ctx.inTenant(async (tx) => {
    await lockEdgeKeys(tx)
    const { id, name } = await lockTenantToDelete(tx)
    if (confirm !== name) throw invalid('confirm must be the exact name of the organization')
    const accountIds = await findAccountsLocked(tx)
    await recordAudit(tx, ctx, 'tenant.deleted', {
      resource: { type: 'tenant', id, name },
      details: { users: accountIds.length },
    })
    await deleteTenantRows(tx, accountIds)
    await deleteAccounts(tx, ctx, accountIds)
  })
}

async function deleteAccounts(tx: Tx, ctx: Ctx<Member>, accountIds: readonly string[]): Promise<void> {
  const identity = identityOfTenant(ctx)
  // The caller's own account is deleted last. A remote provider deletes an account at once, and a rollback does not restore it.
  // If a deletion fails, the caller must still be able to sign in and try again.
  const isOwn = (accountId: string) => Number(accountId === ctx.actor.accountId)
  const callerLast = accountIds.toSorted((a, b) => isOwn(a) - isOwn(b))
  try {
    for (const accountId of callerLast) await identity.deleteAccount(tx, accountId)
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error
    throw conflict('a sign-in account could not be deleted; nothing was removed, try again')
  }
}
