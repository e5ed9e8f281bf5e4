import { maxFreezes, type Overview } from '@mandate/contract/overview'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { findFreezes } from '../freeze-queries.ts'
import { seesWhole } from '../freeze-visibility.ts'

/** Returns the newest active freezes that the caller sees. */
export async function readActiveFreezes({ sql, actor }: Ctx<Member>): Promise<Overview['freezes']> {
  const { freezes } = await findFreezes(sql, actor, { active: true, limit: maxFreezes, offset: 0 })
  return freezes.map((freeze) => {
    const { id, scope, name, agents, created_by, created_at } = freeze
    return { id, scope, name, agents: seesWhole(actor, freeze) ? agents : null, created_by, created_at }
  })
}
