import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findUsers, type UserPage } from './list-queries.ts'
import { toWireUser } from './wire-user.ts'

/** One page of the tenant's users, pending invitations and learners included; `total` counts all that match `search`. */
export async function listUsers(ctx: Ctx<Member>, page: UserPage) {
  const { users, total } = await findUsers(ctx.sql, page)
  return { data: users.map(toWireUser), total, limit: page.limit, offset: page.offset }
}
