import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findUsers, type UserPage } from './list-queries.ts'
import { toWireUser } from './wire-user.ts'

/** Returns one page of the tenant's users, including pending invitations and learners. `total` counts all users that match `search`. */
export async function listUsers(ctx: Ctx<Member>, page: UserPage) {
  const { users, total } = await findUsers(ctx.sql, page)
  return { data: users.map(toWireUser), total, limit: page.limit, offset: page.offset }
}
