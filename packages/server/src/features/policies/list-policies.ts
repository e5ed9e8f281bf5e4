import type { Policy } from '@mandate/contract/policies'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { storedPolicyAnswer } from './policy-answer.ts'
import { findPolicies, findPolicy } from './queries.ts'

/** The policies the caller sees, newest first; `environment_id` narrows to that environment's own. */
export async function listPolicies(
  ctx: Ctx<Member>,
  { environment_id: environmentId, limit, offset }: { environment_id?: string; limit: number; offset: number },
) {
  const { rows, total } = await findPolicies(ctx.sql, ctx.actor, { environmentId, limit, offset })
  return { data: rows.map(storedPolicyAnswer), total, limit, offset }
}

/** @throws 404 for a policy the caller cannot see, exactly as for an unknown id */
export async function getPolicy(ctx: Ctx<Member>, policyId: string): Promise<Policy> {
  const row = await findPolicy(ctx.sql, ctx.actor, policyId)
  if (!row) throw notFound('policy')
  return storedPolicyAnswer(row)
}
