import type { SharedReport } from '@mandate/contract/reports/reports'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { digest } from '../../../security/credentials.ts'
import { findLink, findShared } from '../queries.ts'

/** Returns the report of a share link. @throws 404, with the same text for an unknown, an expired and a revoked link */
export async function readSharedReport(ctx: Ctx<null>, token: string): Promise<SharedReport> {
  const tokenHash = digest(token)
  const { db } = ctx.services
  const link = await findLink(db.global, tokenHash)
  const shared = link && (await findShared(db.reader(link.tenant_id), link.id, tokenHash, ctx.now))
  if (!shared) throw notFound('report')
  return shared
}
