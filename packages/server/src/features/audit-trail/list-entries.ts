import type { AuditFilters } from '@mandate/contract/audit/audit'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { planForValues } from '../../db/plan-once.ts'
import { ListCursors } from '../../paging/list-cursors.ts'
import { findPage } from './find-page.ts'

const cursors = new ListCursors('audit', 'cursor')

/**
 * Returns a page of the entries that the actor sees, newest first, as JSON. @throws 400 if the cursor is not one that an earlier
 * page returned
 */
export async function listEntries(
  ctx: Ctx<Member>,
  { limit, cursor, ...filters }: AuditFilters & { limit: number; cursor?: string | undefined },
): Promise<string> {
  const { tenantId } = ctx.actor
  const afterId = cursor === undefined ? undefined : cursors.idBefore(tenantId, cursor)
  const { entries, nextAfter } = await ctx.services.db.transaction(tenantId, async (tx) => {
    const [, page] = await Promise.all([planForValues(tx), findPage(tx, ctx.actor, filters, { afterId, limit })])
    return page
  })
  const data = `"data":[${entries.map(({ entry }) => entry).join(',')}]`
  if (nextAfter === null) return `{${data}}`
  return `{${data},"next_cursor":${JSON.stringify(cursors.after(tenantId, nextAfter))}}`
}
