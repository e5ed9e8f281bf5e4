import type { Policy } from '@mandate/contract/policies/policies'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { notFound } from '../../../refusal.ts'
import { policyMay } from '../may.ts'
import { storedPolicyAnswer } from '../policy-answer.ts'
import { findPolicies, findPolicyWithAgents, type ListedPolicy, type PolicySort } from './list-queries.ts'

interface PolicyListQuery {
  environment_id?: string | undefined
  search?: string | undefined
  sort: PolicySort
  include?: Include
  limit: number
  offset: number
}

/** Returns the policies that the caller sees. They have their rules only if `include` names `rules`. */
export async function listPolicies(ctx: Ctx<Member>, query: PolicyListQuery) {
  const { environment_id: environmentId, search, sort, include, limit, offset } = query
  const page = { sort, hasRules: include?.includes('rules') ?? false, limit, offset }
  const { rows, total } = await findPolicies(ctx.sql, ctx.actor, { environmentId, search }, page)
  const data = await policyMay.addToAll(ctx, include, rows.map(listedAnswer))
  return { data, total, limit, offset }
}

/** @throws 404 for an unknown id, and the same 404 for a policy that the caller cannot see */
export async function getPolicy(ctx: Ctx<Member>, policyId: string, include?: Include): Promise<Policy> {
  const row = await findPolicyWithAgents(ctx.sql, ctx.actor, policyId)
  if (!row) throw notFound('policy')
  return await policyMay.addTo(ctx, include, storedPolicyAnswer(row))
}

function listedAnswer(row: ListedPolicy) {
  const { rules, ...policy } = storedPolicyAnswer({ ...row, rules: row.rules ?? [] })
  return { ...policy, ...(row.rules && { rules }) }
}
