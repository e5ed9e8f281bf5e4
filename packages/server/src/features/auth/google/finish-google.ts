import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import type { GoogleIdentity } from '../../../identity/port.ts'
import { digest } from '../../../security/credentials.ts'
import { findAccountUser } from '../account/find-account-user.ts'
import { identityDb } from '../account/identity-db.ts'
import {
  findTenantOfInvitation,
  findUser,
  findUserOfAddress,
  lockInvitation,
  markFederated,
} from '../account/queries.ts'
import { findEmailVerified } from '../account/session-queries.ts'
import { createCode } from '../federated/create-code.ts'
import { cleanFederatedName } from '../federated/federated-name.ts'
import type { SignInAttempt } from '../federated/sign-in-cookie.ts'
import { SignInRefused } from '../federated/sign-in-refused.ts'
import { requireLive } from '../joining/accept-invitation.ts'
import { joinTenant } from '../joining/join-tenant.ts'
import { redirectUriOf, requireGoogle } from './start-google.ts'

/**
 * Completes a Google sign-in. Returns a code for the browser that started it. Signs in the user that the Google account is
 * linked to. If the Google account is not linked, signs in the user whose mail address is the verified address of the Google
 * account. If no user has this address, the person needs an invitation to join.
 */
export async function finishGoogle(ctx: Ctx<null>, currentUrl: string, attempt: SignInAttempt | null): Promise<string> {
  const google = requireGoogle(ctx)
  if (!attempt) throw new SignInRefused('refused')
  const person = await google.finish(identityDb(ctx.services), {
    currentUrl,
    state: attempt.state,
    redirectUri: redirectUriOf(ctx),
  })
  const accountId = await accountOf(ctx, person, attempt.invitation)
  return await createCode(ctx, accountId, attempt.secret)
}

async function accountOf(ctx: Ctx<null>, person: GoogleIdentity, invitation: string | undefined): Promise<string> {
  const { identity, db } = ctx.services
  const linked = await identity.findFederated(identityDb(ctx.services), person)
  const user = linked && (await findAccountUser(db, linked.accountId))
  if (linked && user) {
    // During an update, an instance of an earlier version links accounts without this mark.
    if (!user.federated) await db.transaction(user.tenant_id, (tx) => markFederated(tx, user.id, linked.accountId))
    return linked.accountId
  }
  if (!person.emailVerified) throw new SignInRefused('address_not_verified')
  const known = await findUserOfAddress(ctx.sql, addressKey(person.email))
  if (known && !(invitation !== undefined && (await isUnproved(ctx, known)))) {
    return await linkToUser(ctx, person, known.tenant_id, known.user_id)
  }
  if (invitation === undefined) throw new SignInRefused('no_account')
  return await joinByInvitation(ctx, person, invitation)
}

/**
 * Links the Google account to the user's Mandate account. The mail address of the Mandate account must be verified. Otherwise a
 * person could register another person's address, and both would share the Mandate account after the owner of the address signs
 * in with Google.
 */
async function linkToUser(ctx: Ctx<null>, person: GoogleIdentity, tenantId: string, userId: string): Promise<string> {
  const { identity, db } = ctx.services
  return await db.transaction(tenantId, async (tx) => {
    const user = await findUser(tx, userId)
    const account = user?.account_id && (await identity.getAccount(tx, user.account_id))
    if (!account) throw new SignInRefused('no_account')
    if (!account.emailVerified) throw new SignInRefused('address_not_verified')
    await identity.linkFederated(tx, person, account.accountId)
    await markFederated(tx, userId, account.accountId)
    return account.accountId
  })
}

async function isUnproved({ services }: Ctx<null>, held: { tenant_id: string; user_id: string }): Promise<boolean> {
  const user = await findEmailVerified(services.db.reader(held.tenant_id), held.user_id)
  return user?.email_verified === false
}

async function joinByInvitation(ctx: Ctx<null>, person: GoogleIdentity, token: string): Promise<string> {
  const tokenHash = digest(token)
  const found = await findTenantOfInvitation(ctx.sql, tokenHash)
  return await ctx.services.db.transaction(found?.tenant_id ?? '', async (tx) => {
    const invited = requireLive(ctx, found && (await lockInvitation(tx, tokenHash)))
    if (addressKey(invited.email) !== addressKey(person.email)) throw new SignInRefused('no_account')
    const { identity } = ctx.services
    const account = async () => {
      const existing = await identity.findAccountByEmail(tx, person.email)
      // Google and the mailed invitation both show that the person owns the address. So an existing account whose address was
      // never verified is deleted and replaced by a new account.
      if (existing && !existing.emailVerified) await identity.deleteAccount(tx, existing.accountId)
      const proved = existing?.emailVerified ? existing : undefined
      const { accountId } = proved ?? (await identity.createAccount(tx, { email: invited.email, emailVerified: true }))
      await identity.linkFederated(tx, person, accountId)
      return accountId
    }
    const displayName = invited.display_name || cleanFederatedName(person.displayName)
    const mayTakeAddress = async () => true
    const joining = { user: invited, displayName, by: 'google', account, mayTakeAddress } as const
    return (await joinTenant(tx, ctx, joining)).accountId
  })
}
