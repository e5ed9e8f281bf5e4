import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { userMay } from '../may.ts'
import { toWireUser } from '../wire-user.ts'
import { findUsers, type UserPage } from './list-queries.ts'
import { withAccess } from './with-access.ts'

/** Returns one page of the tenant's users, including pending invitations and learners. `total` counts all users that match the filters. */
export async function listUsers(ctx: Ctx<Member>, { include, ...page }: UserPage & { include?: Include }) {
  const { users, total } = await findUsers(ctx.sql, page)
  const answered = await withAccess(ctx, users.map(toWireUser), include)
  const data = await userMay.addToAll(ctx, include, answered)
  return { data, total, limit: page.limit, offset: page.offset }
}
