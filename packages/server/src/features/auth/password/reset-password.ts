import { recordAudit } from '../../../audit/record-audit.ts'
import { findUserOfAccount } from '../../../caller/caller-queries.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant, type Tx } from '../../../db/database.ts'
import { checkPassword } from '../../../identity/password-policy.ts'
import type { Account } from '../../../identity/port.ts'
import { mailSecurityNews } from '../../../mail/security-mail.ts'
import { Refusal } from '../../../refusal.ts'
import { digest } from '../../../security/credentials.ts'
import { revokeSessionsOfAccount } from '../../../sessions/revoke-sessions.ts'
import { revokeKeysOfUser } from '../../api-keys/revoke-key.ts'
import { endUnprovedDelegations } from '../../delegations/end-delegations.ts'
import { toWireUser } from '../../users/wire-user.ts'
import { deleteProofs } from '../account/mail-proof-queries.ts'
import { personOf } from '../account/person-of.ts'
import {
  type HolderOfAddress,
  lockHolder,
  markAddressProved,
  markWithoutFactors,
} from '../account/proved-address-queries.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import { contextWords } from '../account/tenant-queries.ts'
import { forgetDevices } from '../device/known-devices.ts'
import { deleteResets, findReset, findResetLocked } from './reset-queries.ts'

const linkGone = () => new Refusal(410, 'this link has been used or has expired')

/**
 * Sets a new password for the account that a reset link was mailed to, ends all its sessions, and sends its user a mail about
 * it. The link also verifies the address. If the new password breaks the password policy, the link can be used again.
 * - If the address was not verified before, another person may have registered it. Then the account's second factors are
 *   removed, its user's API keys are revoked, and the user's delegations end.
 * - If a SAML provider created the account and the account has no password yet, its second factors are removed too.
 */
export async function resetPassword(ctx: Ctx<null>, token: string, password: string): Promise<void> {
  const { db, identity } = ctx.services
  const found = await findReset(ctx.sql, digest(token), ctx.now)
  if (!found) throw linkGone()
  const { account_id: accountId } = found
  const holder = await findUserOfAccount(ctx.sql, accountId)
  await refusing(() =>
    db.transaction(holder?.tenantId ?? noTenant, async (tx) => {
      const user = holder && (await lockHolder(tx, holder.userId))
      const account = (await findResetLocked(tx, digest(token), ctx.now)) && (await identity.getAccount(tx, accountId))
      // The account may have been deleted together with its user, while this request ran. Then the link does not work any more.
      if (!account) throw linkGone()
      checkPassword(password, account.email, [...(await contextWords(tx)), user?.display_name ?? ''])
      await deleteResets(tx, accountId)
      await revokeSessionsOfAccount(tx, accountId, ctx.now)
      await forgetDevices(tx, accountId)
      await deleteProofs(tx, accountId)
      const isOwn = user?.account_id === accountId
      const isNewlyProved = isOwn && !user.email_verified
      if (user) await mailNewPassword(tx, ctx, user)
      if (isNewlyProved) await proveAddress(tx, ctx, user, accountId)
      else if (isOwn && isOnProvidersWord(account)) await clearFactorsOf(tx, ctx, user, accountId)
      if (isNewlyProved) await identity.clearFactors(tx, accountId)
      await identity.setPassword(tx, accountId, password)
      // The link was mailed to the address, so using the link verifies the address.
      await identity.markEmailVerified(tx, accountId)
      await identity.revokeRefreshTokens(tx, accountId)
    }),
  )
}

async function proveAddress(tx: Tx, ctx: Ctx<null>, user: HolderOfAddress, accountId: string): Promise<void> {
  await markAddressProved(tx, user.id)
  await markWithoutFactors(tx, user.id)
  const by = { ...ctx, actor: personOf(toWireUser(user), accountId) }
  const name = user.display_name || user.email
  const end = { because: 'address_proved', created_by_name: name } as const
  const api_keys_revoked = await revokeKeysOfUser(tx, by, user.id, end)
  await recordAudit(tx, by, 'user.profile_updated', {
    resource: { type: 'user', id: user.id, name },
    details: { email_verified: true, mfa_enrolled: false, api_keys_revoked },
  })
  await endUnprovedDelegations(tx, ctx, user.id)
}

/**
 * True for an account that a SAML provider created and whose address was never verified by mail. Another person may have signed
 * in to it and enrolled second factors. So a password reset removes the second factors. This does not make the account less
 * safe: only a sign-in with a password asks for a second factor, and the account had no password.
 */
const isOnProvidersWord = ({ emailVerified, hasPassword }: Account) => !emailVerified && !hasPassword

async function clearFactorsOf(tx: Tx, ctx: Ctx<null>, user: HolderOfAddress, accountId: string): Promise<void> {
  if (!user.mfa_enrolled) return
  await markWithoutFactors(tx, user.id)
  await recordAudit(tx, { ...ctx, actor: personOf(toWireUser(user), accountId) }, 'user.profile_updated', {
    resource: { type: 'user', id: user.id, name: user.display_name || user.email },
    details: { mfa_enrolled: false },
  })
  await ctx.services.identity.clearFactors(tx, accountId)
}

async function mailNewPassword(tx: Tx, ctx: Ctx<null>, user: HolderOfAddress): Promise<void> {
  await mailSecurityNews(tx, ctx, {
    to: user.email,
    tenantId: user.tenant_id,
    subject: 'Your Mandate password was changed',
    what: 'A new password was chosen for your Mandate account by a mailed link. Every session was signed out.',
  })
}
