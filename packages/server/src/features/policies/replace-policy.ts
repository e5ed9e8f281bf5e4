import type { PolicyDocument } from '@mandate/contract/policies'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority } from '../../authz/can.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { newId } from '../../db/new-id.ts'
import { ruleOf } from './document.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'

/**
 * Replaces a policy's document, as one new version. A sent rule whose id is in the policy replaces the rule with this id. A sent
 * rule with any other id gets a new id, because the other id may belong to another policy. The refusals are those of `savePolicy`.
 */
export async function replacePolicy(
  ctx: Ctx<Member>,
  policyId: string,
  sent: PolicyDocument,
  ifMatch?: string,
): Promise<SavedPolicy> {
  requireAuthority(ctx.actor, 'member')
  return await savePolicy(
    ctx,
    policyId,
    {
      producedBy: 'updated',
      apply: (current) => {
        const known = new Set(current.rules.map(({ id }) => id))
        const rules = sent.rules.map((rule) => ruleOf(rule, rule.id && known.has(rule.id) ? rule.id : newId()))
        return { ...sent, rules }
      },
    },
    ifMatch,
  )
}
