import type { AccountSession } from '@mandate/contract/auth'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { listSessionsInUse } from '../../../sessions/own-sessions.ts'
import { requireAccount } from '../account/account-of.ts'

/** Returns the sessions of the caller's account that have not ended, newest use first. */
export async function listSessions(ctx: Ctx<Member>): Promise<{ data: AccountSession[] }> {
  const { actor, sql, now, services } = ctx
  const rows = await listSessionsInUse(sql, requireAccount(actor), now, services.config.sessionIdleDays)
  return { data: rows.map((row) => ({ ...row, current: row.id === actor.sessionId })) }
}
