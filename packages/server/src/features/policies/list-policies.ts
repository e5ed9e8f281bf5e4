import type { Policy } from '@mandate/contract/policies'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { storedPolicyAnswer } from './policy-answer.ts'
import { findPolicies, findPolicy } from './queries.ts'

/** Returns the policies that the caller sees, newest first. `environment_id` selects the policies of that environment only. */
export async function listPolicies(
  ctx: Ctx<Member>,
  { environment_id: environmentId, limit, offset }: { environment_id?: string; limit: number; offset: number },
) {
  const { rows, total } = await findPolicies(ctx.sql, ctx.actor, { environmentId, limit, offset })
  return { data: rows.map(storedPolicyAnswer), total, limit, offset }
}

/** @throws 404 for an unknown id, and the same 404 for a policy that the caller cannot see */
export async function getPolicy(ctx: Ctx<Member>, policyId: string): Promise<Policy> {
  const row = await findPolicy(ctx.sql, ctx.actor, policyId)
  if (!row) throw notFound('policy')
  return storedPolicyAnswer(row)
}
