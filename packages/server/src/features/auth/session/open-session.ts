import type { Session } from '@mandate/contract/auth'
import type { User } from '@mandate/contract/users'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { accessTokenSeconds } from '../../../security/access-tokens.ts'
import type { Services } from '../../../services.ts'
import { clientOfSession } from '../../../sessions/client-of-session.ts'
import { startSession } from '../../../sessions/start-session.ts'
import { noticeDevice, rememberDevice } from '../device/known-devices.ts'

export interface Opening {
  accountId: string
  user: Pick<User, 'tenant_id' | 'email'>
  /** The secret in the browser's device cookie. */
  device: string
  /** True for the first session of an account. The device is then stored, but no mail about a new device is sent. */
  isFirst?: boolean
}

/** Signs in an account on the caller's device, and mails the person if the device is new. */
export async function openSession(tx: Tx, ctx: Ctx<null>, opening: Opening): Promise<Session> {
  const { accountId, user, device, isFirst = false } = opening
  const notice = isFirst ? rememberDevice : noticeDevice
  await notice(tx, ctx, { accountId, tenantId: user.tenant_id, email: user.email, device })
  return await openBareSession(tx, ctx, accountId)
}

async function openBareSession(db: Sql, ctx: Ctx<null>, accountId: string): Promise<Session> {
  const client = clientOfSession(ctx.request)
  const started = await startSession(db, { accountId, client, now: ctx.now, lifetimes: ctx.services.config })
  return await wireSession(ctx.services, { accountId, ...started })
}

export interface StartedSession {
  accountId: string
  sessionId: string
  refreshToken: string
}

/** Returns the response for a session. Its access token contains the account only. */
export async function wireSession({ accessTokens }: Pick<Services, 'accessTokens'>, started: StartedSession) {
  const session: Session = {
    access_token: await accessTokens.issue(started.accountId, started.sessionId),
    refresh_token: started.refreshToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
  }
  return session
}
