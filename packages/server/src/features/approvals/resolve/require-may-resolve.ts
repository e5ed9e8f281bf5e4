import type { Approval } from '@mandate/contract/approvals'
import type { Member } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { resolverRefusal } from '../rules.ts'
import { findLeftToOthers } from '../stored/resolver-queries.ts'

/** @throws the 403 of `resolverRefusal` */
export async function requireMayResolve(db: Sql, actor: Member, approval: Approval): Promise<void> {
  const isLeftToOthers = (await findLeftToOthers(db, actor.userId, [approval.id])).has(approval.id)
  throwIfRefused(resolverRefusal(actor, approval, { isLeftToOthers }))
}
