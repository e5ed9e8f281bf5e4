import type { User } from '@mandate/contract/users'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { coded, notFound } from '../../../refusal.ts'
import { userMay } from '../may.ts'
import { findUser } from '../queries.ts'
import { toWireUser } from '../wire-user.ts'
import { withAccess } from './with-access.ts'

/**
 * Returns a user of the caller's tenant. A learner sees only themselves. @throws 404 for an unknown id and for a user of another
 * tenant
 */
export async function getUser(ctx: Ctx<Member>, userId: string, include?: Include): Promise<User> {
  if (ctx.actor.academyOnly && userId !== ctx.actor.userId) throw coded('academy_only_account')
  const user = await findUser(ctx.sql, userId)
  if (!user) throw notFound('user')
  const [answer] = await withAccess(ctx, [toWireUser(user)], include)
  return await userMay.addTo(ctx, include, answer as User)
}
