import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant } from '../../../db/database.ts'
import { digest } from '../../../security/credentials.ts'
import { startSessionWithCode } from '../../../sessions/start-session.ts'

/** A code that signs an account in, in the browser that keeps `secret` only. No refresh token stands in a URL. */
export function giveCode(ctx: Ctx<null>, accountId: string, secret: string): Promise<string> {
  return giveCodeFor(ctx, accountId, secretMark(secret))
}

/** The same for a browser of which only the mark of its secret is known. */
export function giveCodeFor(ctx: Ctx<null>, accountId: string, mark: string): Promise<string> {
  const { ip, userAgent } = ctx.request
  return ctx.services.db.transaction(noTenant, (tx) =>
    startSessionWithCode(tx, { accountId, ip, userAgent, now: ctx.now, lifetimes: ctx.services.config }, mark),
  )
}

/** What may travel in place of a browser's secret. */
export function secretMark(secret: string): string {
  return digest(secret).toString('base64url')
}
