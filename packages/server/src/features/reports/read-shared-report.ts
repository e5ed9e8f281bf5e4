import type { SharedReport } from '@mandate/contract/reports'
import { clientNetwork } from '../../http/client-network.ts'
import type { Ctx } from '../../http/ctx.ts'
import { GateRefusal } from '../../http/errors.ts'
import { notFound } from '../../refusal.ts'
import { digest } from '../../security/credentials.ts'
import { findLink, findShared } from './queries.ts'

/** Per client: a token cannot be guessed, but looking for one costs the database. */
const readsPerMinute = 120

/** What a link shows to whoever has it. @throws 404 the same for one unknown, expired or revoked; 429 */
export async function readSharedReport(ctx: Ctx<null>, token: string): Promise<SharedReport> {
  await throttle(ctx)
  const tokenHash = digest(token)
  const { db } = ctx.services
  const link = await findLink(db.global, tokenHash)
  const shared = link && (await findShared(db.reader(link.tenant_id), link.id, tokenHash, ctx.now))
  if (!shared) throw notFound('report')
  return shared
}

async function throttle({ services, request }: Ctx<null>): Promise<void> {
  if (!services.config.authThrottle) return
  const rule = { name: 'shared-report:client', limit: readsPerMinute, windowSeconds: 60 }
  const state = await services.rateLimits.take(rule, clientNetwork(request.ip))
  if (state.allowed) return
  throw new GateRefusal(429, 'too many requests', true, { 'retry-after': String(state.resetSeconds) })
}
