import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { findPolicyReach, findRules } from './queries.ts'
import { type PolicyReach, reachRefusal } from './rules.ts'

/** @throws 404 for an unknown id, and the same 404 for a policy that the caller cannot see */
export async function requireVisible(db: Sql, actor: Member, policyId: string): Promise<void> {
  if (!(await findPolicyReach(db, actor, policyId))) throw notFound('policy')
}

/** @throws 404 for a policy that the caller cannot see, 403 for a policy of an environment that the caller has no access to */
export async function requireSavable(db: Sql, actor: Member, policyId: string): Promise<void> {
  requireReach(await findPolicyReach(db, actor, policyId))
}

/** Like `requireSavable`. @throws 404 also for a rule that the policy does not have */
export async function requireRule(db: Sql, actor: Member, policyId: string, ruleId: string): Promise<void> {
  await requireSavable(db, actor, policyId)
  if (!(await findRules(db, policyId)).some(({ id }) => id === ruleId)) throw notFound('rule')
}

/** Like `requireSavable`, for a row that was already read. */
export function requireReach<Row extends PolicyReach>(row: Row | undefined): Row {
  if (!row) throw notFound('policy')
  throwIfRefused(reachRefusal(row))
  return row
}
