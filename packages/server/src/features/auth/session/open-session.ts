import type { User } from '@mandate/contract/users'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import type { Services } from '../../../services.ts'
import { clientOfSession } from '../../../sessions/client-of-session.ts'
import { type RefreshToken, startSession } from '../../../sessions/start-session.ts'
import { noticeDevice, rememberDevice } from '../device/known-devices.ts'
import type { IssuedSession } from './deliver-session.ts'

export interface Opening {
  accountId: string
  user: Pick<User, 'tenant_id' | 'email'>
  /** The secret in the browser's device cookie. */
  device: string
  /** True for the first session of an account. The device is then stored, but no mail about a new device is sent. */
  isFirst?: boolean
}

/** Signs in an account on the caller's device, and mails the person if the device is new. */
export async function openSession(tx: Tx, ctx: Ctx<null>, opening: Opening): Promise<IssuedSession> {
  const { accountId, user, device, isFirst = false } = opening
  const notice = isFirst ? rememberDevice : noticeDevice
  await notice(tx, ctx, { accountId, tenantId: user.tenant_id, email: user.email, device })
  return await openBareSession(tx, ctx, accountId)
}

async function openBareSession(db: Sql, ctx: Ctx<null>, accountId: string): Promise<IssuedSession> {
  const client = clientOfSession(ctx.request)
  const started = await startSession(db, { accountId, client, now: ctx.now, lifetimes: ctx.services.config })
  return await issueSession(ctx.services, { accountId, ...started })
}

export interface StartedSession {
  accountId: string
  sessionId: string
  refreshToken: RefreshToken | null
}

/** Issues the access token of a session. It contains the account only. */
export async function issueSession(
  { accessTokens }: Pick<Services, 'accessTokens'>,
  { accountId, sessionId, refreshToken }: StartedSession,
): Promise<IssuedSession> {
  return { accessToken: await accessTokens.issue(accountId, sessionId), refreshToken }
}
