import type { SignedIn } from '@mandate/contract/auth'
import type { Tx } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { coded, invalid, Refusal } from '../../refusal.ts'
import { digest } from '../../security/credentials.ts'
import { readDisplayName } from '../users/display-name.ts'
import { joinTenant } from './join-tenant.ts'
import { openSession } from './open-session.ts'
import { findTenantOfInvitation, type InvitedRow, lockInvitation } from './queries.ts'
import { refusing } from './refuse-identity-failure.ts'
import { wrongCredentials } from './sign-in.ts'
import { throttleAddress } from './throttle.ts'

export interface Acceptance {
  token: string
  password?: string | undefined
  otp?: string | undefined
  display_name?: string | undefined
  /** The caller's own access token, which proves an account as its password does. */
  accessToken?: string | undefined
}

/** Used, expired, withdrawn, renewed and never issued are told alike. */
export const invitationGone = () => new Refusal(410, 'this invitation has been used or has expired')

/** Accepts an invitation: the person chooses a password, or proves the sign-in account their address already has. */
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
      const { user, accountId } = await joinTenant(tx, ctx, { user: invited, displayName, by: 'password', account })
      return { session: await openSession(tx, ctx, accountId), user }
    }),
  )
}

export function requireLive(ctx: Ctx<null>, invited: InvitedRow | undefined): InvitedRow {
  if (!invited || invited.expires_at <= ctx.now) throw invitationGone()
  return invited
}

/** The link proves the address; an account that is there already is not handed over with it. */
async function accountOf(tx: Tx, { services }: Ctx<null>, email: string, acceptance: Acceptance): Promise<string> {
  const { identity } = services
  const { password, otp } = acceptance
  const existing = await identity.findAccountByEmail(tx, email)
  if (!existing) {
    if (password === undefined) throw invalid('password is required')
    return (await identity.createAccount(tx, { email, password, emailVerified: true })).accountId
  }
  if (!(await isSignedInAs(services, acceptance.accessToken, existing.accountId))) {
    if (password === undefined) throw new Refusal(401, 'this address has an account: sign in, or send its password')
    const proof = await identity.verifyPassword(tx, { email, password, otp })
    if (!proof.ok) throw proof.reason === 'mfa_required' ? coded('mfa_required') : wrongCredentials()
  }
  await identity.markEmailVerified(tx, existing.accountId)
  return existing.accountId
}

async function isSignedInAs({ accessTokens }: Ctx<null>['services'], token: string | undefined, accountId: string) {
  if (token === undefined) return false
  return (await accessTokens.verify(token))?.accountId === accountId
}
