import type { User } from '@mandate/contract/users'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant, type Tx } from '../../../db/database.ts'
import { Refusal } from '../../../refusal.ts'
import { clientOfSession } from '../../../sessions/client-of-session.ts'
import { exchangeCode, type Rotated, rotateRefreshToken, type TokenUse } from '../../../sessions/rotate-token.ts'
import { findAccountUser } from '../account/find-account-user.ts'
import { noticeDevice } from '../device/known-devices.ts'
import type { IssuedSession, SignedIn } from './deliver-session.ts'
import { issueSession } from './open-session.ts'
import { recordSignIn } from './record-sign-in.ts'

const wellFormed = /^[\w-]{43}$/

export interface Refresh {
  /** Undefined if a browser has no cookie. */
  token: string | undefined
  /** Whether the token was in the session cookie. */
  inCookie: boolean
}

/** Rotates a refresh token and returns the next session of its family. @throws 401, with one text for all invalid tokens */
export async function refresh(ctx: Ctx<null>, { token, inCookie }: Refresh): Promise<{ session: IssuedSession }> {
  const what = 'refresh token'
  if (token === undefined || (inCookie && !wellFormed.test(token))) throw invalidToken(what)
  const use = { ...tokenUse(ctx), successorOf: inCookie ? ctx.services.successorOf : undefined }
  const { session } = await rotated(ctx, what, (tx) => rotateRefreshToken(tx, token, use))
  return { session }
}

/** Exchanges the code of a federated sign-in for a session. The code works only in the browser whose secret it was created with. */
export async function exchange(
  ctx: Ctx<null>,
  code: string,
  { browserSecret, device }: { browserSecret: string; device: string },
): Promise<SignedIn> {
  const { accountId, ...signedIn } = await rotated(ctx, 'code', (tx) =>
    exchangeCode(tx, code, browserSecret, tokenUse(ctx)),
  )
  const { user } = signedIn
  const { tenant_id: tenantId, email } = user
  // Records the sign-in before the session is returned, so that no one is signed in without an audit entry.
  await ctx.services.db.transaction(tenantId, async (tx) => {
    await recordSignIn(tx, ctx, user, 'federated')
    await noticeDevice(tx, ctx, { accountId, tenantId, email, device })
  })
  return signedIn
}

const invalidToken = (what: string) => new Refusal(401, `invalid or expired ${what}`)

const tokenUse = ({ request, now, services }: Ctx<null>): TokenUse => ({
  client: clientOfSession(request),
  now,
  lifetimes: services.config,
})

async function rotated(ctx: Ctx<null>, what: string, rotate: (tx: Tx) => Promise<Rotated | null>) {
  // If a token is used twice, its family is revoked. The transaction commits before the refusal is thrown, so that the family
  // stays revoked.
  const started = await ctx.services.db.transaction(noTenant, rotate)
  const user: User | null = started && (await findAccountUser(ctx.services.db, started.accountId))
  if (!started || !user) throw invalidToken(what)
  return { session: await issueSession(ctx.services, started), user, accountId: started.accountId }
}
