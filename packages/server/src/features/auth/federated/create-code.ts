import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant } from '../../../db/database.ts'
import { digest } from '../../../security/credentials.ts'
import { clientOfSession } from '../../../sessions/client-of-session.ts'
import { startSessionWithCode } from '../../../sessions/start-session.ts'

/**
 * Creates a code that signs in an account. The code works only in the browser that has `secret`. The redirect URL contains this
 * code, because a URL must not contain a refresh token.
 */
export function createCode(ctx: Ctx<null>, accountId: string, secret: string): Promise<string> {
  return createCodeForDigest(ctx, accountId, secretDigest(secret))
}

/** Like `createCode`, but the caller has only the digest of the browser's secret. */
export function createCodeForDigest(ctx: Ctx<null>, accountId: string, browserDigest: string): Promise<string> {
  const client = clientOfSession(ctx.request)
  return ctx.services.db.transaction(noTenant, (tx) =>
    startSessionWithCode(tx, { accountId, client, now: ctx.now, lifetimes: ctx.services.config }, browserDigest),
  )
}

/** Returns the digest of a browser's secret. Unlike the secret, the digest may be sent to other parties. */
export function secretDigest(secret: string): string {
  return digest(secret).toString('base64url')
}
