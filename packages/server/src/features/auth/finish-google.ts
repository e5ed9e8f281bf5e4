import type { Ctx } from '../../http/ctx.ts'
import type { GoogleIdentity } from '../../identity/port.ts'
import { digest } from '../../security/credentials.ts'
import { requireLive } from './accept-invitation.ts'
import { cleanFederatedName } from './federated-name.ts'
import { findAccountUser } from './find-account-user.ts'
import { giveCode } from './give-code.ts'
import { identityDb } from './identity-db.ts'
import { joinTenant } from './join-tenant.ts'
import { findTenantOfInvitation, findUser, findUserOfAddress, lockInvitation } from './queries.ts'
import type { SignInAttempt } from './sign-in-cookie.ts'
import { SignInRefused } from './sign-in-refused.ts'
import { redirectUriOf, requireGoogle } from './start-google.ts'

/**
 * Ends a Google sign-in with a code for the browser that began it. Signs in whom the Google account is linked to, or
 * whose address it proves; an unknown address joins through the invitation it came with, and never by itself.
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
  return await giveCode(ctx, accountId, attempt.secret)
}

async function accountOf(ctx: Ctx<null>, person: GoogleIdentity, invitation: string | undefined): Promise<string> {
  const { identity, db } = ctx.services
  const linked = await identity.findFederated(identityDb(ctx.services), person)
  if (linked && (await findAccountUser(db, linked.accountId))) return linked.accountId
  if (!person.emailVerified) throw new SignInRefused('address_not_verified')
  const known = await findUserOfAddress(ctx.sql, person.email.toLowerCase())
  if (known) return await linkToUser(ctx, person, known.tenant_id, known.user_id)
  if (invitation === undefined) throw new SignInRefused('no_account')
  return await joinByInvitation(ctx, person, invitation)
}

/** Only to an account whose address was proved: whoever registers another's address must not be handed its owner. */
async function linkToUser(ctx: Ctx<null>, person: GoogleIdentity, tenantId: string, userId: string): Promise<string> {
  const { identity, db } = ctx.services
  return await db.transaction(tenantId, async (tx) => {
    const user = await findUser(tx, userId)
    const account = user?.account_id && (await identity.getAccount(tx, user.account_id))
    if (!account) throw new SignInRefused('no_account')
    if (!account.emailVerified) throw new SignInRefused('address_not_verified')
    await identity.linkFederated(tx, person, account.accountId)
    return account.accountId
  })
}

async function joinByInvitation(ctx: Ctx<null>, person: GoogleIdentity, token: string): Promise<string> {
  const tokenHash = digest(token)
  const found = await findTenantOfInvitation(ctx.sql, tokenHash)
  return await ctx.services.db.transaction(found?.tenant_id ?? '', async (tx) => {
    const invited = requireLive(ctx, found && (await lockInvitation(tx, tokenHash)))
    if (invited.email.toLowerCase() !== person.email.toLowerCase()) throw new SignInRefused('no_account')
    const { identity } = ctx.services
    const account = async () => {
      const existing = await identity.findAccountByEmail(tx, person.email)
      if (existing && !existing.emailVerified) throw new SignInRefused('address_not_verified')
      const { accountId } =
        existing ?? (await identity.createAccount(tx, { email: invited.email, emailVerified: true }))
      await identity.linkFederated(tx, person, accountId)
      return accountId
    }
    const displayName = invited.display_name || cleanFederatedName(person.displayName)
    return (await joinTenant(tx, ctx, { user: invited, displayName, by: 'google', account })).accountId
  })
}
