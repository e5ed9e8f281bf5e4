import type { PolicyUpdate } from '@mandate/contract/policies/policies'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { withFields } from './document.ts'
import { type SavedPolicy, savePolicy } from './save-policy.ts'

/**
 * Replaces the policy's fields that the request contains, and saves a new version. The rules do not change.
 * @throws the errors of `savePolicy`
 */
export async function updatePolicy(
  ctx: Ctx<Member>,
  policyId: string,
  sent: PolicyUpdate,
  ifMatch?: string,
): Promise<SavedPolicy> {
  requireAuthority(ctx.actor, 'member')
  return await savePolicy(
    ctx,
    policyId,
    { producedBy: 'updated', apply: (current) => withFields(current, sent) },
    ifMatch,
  )
}
