import type { PolicyDocument } from '@mandate/contract/policies/policies'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { ruleOf } from './document.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'

/**
 * Replaces a policy's document and saves it as one new version. A sent rule keeps its id if the policy already has a rule with
 * this id. Otherwise it gets a new id, because the sent id may belong to a rule of another policy. Throws the same errors as
 * `savePolicy`.
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
