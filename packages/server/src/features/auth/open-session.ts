import type { Session } from '@mandate/contract/auth'
import type { Sql } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { accessTokenSeconds } from '../../security/access-tokens.ts'
import type { Services } from '../../services.ts'
import { startSession } from '../../sessions/start-session.ts'

/** Signs an account in on the caller's device. */
export async function openSession(db: Sql, ctx: Ctx<null>, accountId: string): Promise<Session> {
  const { ip, userAgent } = ctx.request
  const started = await startSession(db, { accountId, ip, userAgent, now: ctx.now })
  return await wireSession(ctx.services, { accountId, ...started })
}

export interface StartedSession {
  accountId: string
  sessionId: string
  refreshToken: string
}

/** A session as the wire shows it, with an access token that names the account only. */
export async function wireSession({ accessTokens }: Pick<Services, 'accessTokens'>, started: StartedSession) {
  const session: Session = {
    access_token: await accessTokens.issue(started.accountId, started.sessionId),
    refresh_token: started.refreshToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
  }
  return session
}
