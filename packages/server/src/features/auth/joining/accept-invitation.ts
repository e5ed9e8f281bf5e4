import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { checkPassword } from '../../../identity/password-policy.ts'
import { coded, invalid, Refusal } from '../../../refusal.ts'
import { digest } from '../../../security/credentials.ts'
import { lockEpochForShare } from '../../../sessions/account-epoch.ts'
import { isLiveSession } from '../../../sessions/live-session.ts'
import { readDisplayName } from '../../users/change/display-name.ts'
import { findTenantOfInvitation, type InvitedRow, lockInvitation } from '../account/queries.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import { contextWords } from '../account/tenant-queries.ts'
import { throttleAddress } from '../account/throttle.ts'
import { wrongCredentials } from '../password/sign-in.ts'
import type { SignedIn } from '../session/deliver-session.ts'
import { openSession } from '../session/open-session.ts'
import { joinTenant } from './join-tenant.ts'

export interface Acceptance {
  token: string
  password?: string | undefined
  otp?: string | undefined
  display_name?: string | undefined
  /** The access token of the caller's session. It proves that the caller owns the account, just as the password would. */
  accessToken?: string | undefined
  /** The secret in the browser's device cookie. */
  device: string
}

/**
 * The refusal for an invitation that cannot be accepted. It is the same for a used, expired, withdrawn or renewed invitation and
 * for an unknown token.
 */
export const invitationGone = () => new Refusal(410, 'this invitation has been used or has expired')

/** Accepts an invitation. The person chooses a password, or proves that they own the existing account of their address. */
export async function acceptInvitation(ctx: Ctx<null>, acceptance: Acceptance): Promise<SignedIn> {
  const given = acceptance.display_name
  const displayName = given === undefined ? undefined : readDisplayName(given)
  const tokenHash = digest(acceptance.token)
  const found = await findTenantOfInvitation(ctx.sql, tokenHash)
  if (!found) throw invitationGone()
  return await refusing(() =>
    ctx.services.db.transaction(found.tenant_id, async (tx) => {
      const invited = requireLive(ctx, await lockInvitation(tx, tokenHash))
      await throttleAddress(ctx, 'accept', invited.email)
      const account = () => accountOf(tx, ctx, invited.email, acceptance)
      // An account of another user may have this address without having verified it. The invited person may take the address
      // from that user. But if the person knows the password of that account or is signed in to it, the account is their own.
      // It then keeps the address, and the response is 409.
      const mayTakeAddress = async () => !(await provesAccount(tx, ctx, invited.email, acceptance))
      const joining = { user: invited, displayName, by: 'password', account, mayTakeAddress } as const
      const { user, accountId } = await joinTenant(tx, ctx, joining)
      const { device } = acceptance
      return { session: await openSession(tx, ctx, { accountId, user, device, isFirst: true }), user }
    }),
  )
}

export function requireLive(ctx: Ctx<null>, invited: InvitedRow | undefined): InvitedRow {
  if (!invited || invited.expires_at <= ctx.now) throw invitationGone()
  return invited
}

/**
 * Returns the account for the invited address. The mailed link verifies the address. An account with this address may exist
 * already:
 * - If its address is verified, the person must prove that they own the account.
 * - If its address is not verified and the person proves that they own the account, the account is kept.
 * - If its address is not verified and the person does not prove this, the account is deleted and a new account is created.
 */
async function accountOf(tx: Tx, ctx: Ctx<null>, email: string, acceptance: Acceptance): Promise<string> {
  const { identity } = ctx.services
  const { password } = acceptance
  const existing = await identity.findAccountByEmail(tx, email)
  // Locks the account before the password is checked. A password change at the same time waits until this transaction ends.
  // Then the password change also ends the session that starts here.
  if (existing) await lockEpochForShare(tx, existing.accountId)
  if (existing?.emailVerified) return await provedAccount(tx, ctx, email, acceptance)
  if (existing && (await provesAccount(tx, ctx, email, acceptance))) {
    await identity.markEmailVerified(tx, existing.accountId)
    return existing.accountId
  }
  if (password === undefined) throw invalid('password is required')
  await refuseTenantsWords(tx, password, email)
  if (existing) await identity.deleteAccount(tx, existing.accountId)
  return (await identity.createAccount(tx, { email, password, emailVerified: true })).accountId
}

/**
 * Returns the account with this address. The person proves that they own it by an active session, or by the password and the
 * one-time password of the account.
 * @throws 401 if the person does not prove this
 */
async function provedAccount(tx: Tx, ctx: Ctx<null>, email: string, { password, otp, accessToken }: Acceptance) {
  const bySession = await accountOfSession(tx, ctx, accessToken)
  const existing = await ctx.services.identity.findAccountByEmail(tx, email)
  if (bySession !== null && bySession === existing?.accountId) return bySession
  if (password === undefined)
    throw new Refusal(401, 'an account with this address exists: sign in first, or add its password to the request')
  const proof = await ctx.services.identity.verifyPassword(tx, { email, password, otp })
  if (!proof.ok) throw proof.reason === 'mfa_required' ? coded('mfa_required') : wrongCredentials()
  return proof.accountId
}

/** True if an account has this address, and the person knows its password or is signed in to it. */
async function provesAccount(tx: Tx, ctx: Ctx<null>, email: string, { password, accessToken }: Acceptance) {
  const { identity } = ctx.services
  const existing = await identity.findAccountByEmail(tx, email)
  if (!existing) return false
  if ((await accountOfSession(tx, ctx, accessToken)) === existing.accountId) return true
  if (password === undefined) return false
  const proof = await identity.verifyPassword(tx, { email, password })
  return proof.ok || proof.reason === 'mfa_required'
}

/** Returns the account of an access token whose session is still active. */
async function accountOfSession(tx: Tx, { services, now }: Ctx<null>, token: string | undefined) {
  const claims = token === undefined ? null : await services.accessTokens.verify(token)
  if (!claims || !(await isLiveSession(tx, claims.sessionId, claims.accountId, now))) return null
  return claims.accountId
}

async function refuseTenantsWords(tx: Tx, password: string, email: string): Promise<void> {
  checkPassword(password, email, await contextWords(tx))
}
