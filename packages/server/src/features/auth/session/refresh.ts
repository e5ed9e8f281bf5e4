import type { Session, SignedIn } from '@mandate/contract/auth'
import type { User } from '@mandate/contract/users'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant, type Tx } from '../../../db/database.ts'
import { Refusal } from '../../../refusal.ts'
import { clientOfSession } from '../../../sessions/client-of-session.ts'
import { exchangeCode, type Rotated, rotateRefreshToken, type TokenUse } from '../../../sessions/rotate-token.ts'
import { findAccountUser } from '../account/find-account-user.ts'
import { noticeDevice } from '../device/known-devices.ts'
import { wireSession } from './open-session.ts'
import { recordSignIn } from './record-sign-in.ts'

/** Rotates a refresh token and returns the next session of its family. @throws 401, with one text for all invalid tokens */
export async function refresh(ctx: Ctx<null>, refreshToken: string): Promise<{ session: Session }> {
  const { session } = await rotated(ctx, 'refresh token', (tx) => rotateRefreshToken(tx, refreshToken, tokenUse(ctx)))
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
  if (!started || !user) throw new Refusal(401, `invalid or expired ${what}`)
  return { session: await wireSession(ctx.services, started), user, accountId: started.accountId }
}
