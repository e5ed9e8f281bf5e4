import type { NewPolicy } from '@mandate/contract/policies/policies'
import { changeSummary } from '@mandate/policy/changes/diff'
import { contentHash } from '@mandate/proofs/canonical'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import { requireAuthority } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { keepPatterns } from '../../content/pattern-lock.ts'
import { policyAnswer } from '../policy-answer.ts'
import { insertPolicy, upsertRules } from '../queries.ts'
import { placementRefusal, placeOfNewPolicy } from '../rules.ts'
import { insertVersion } from '../versions/version-queries.ts'
import { beginBindings } from './content-bindings.ts'
import { checkedDocument, newDocument } from './document.ts'
import { claimName } from './policy-name.ts'
import { requireEnvironment, requirePlanFor, type SavedPolicy, savedBy } from './save-policy.ts'

/**
 * Creates a policy with version 1. If the request names no environment and the caller uses an API key that is bound to an
 * environment, the policy gets this environment.
 * @throws 403 for an environment that the caller may not use, 400 for an invalid document, 402 for features that the plan does
 *   not include, 409 if another policy has this name in this environment
 */
export async function createPolicy(ctx: Ctx<Member>, sent: NewPolicy): Promise<SavedPolicy> {
  requireAuthority(ctx.actor, 'member')
  const environmentId = placeOfNewPolicy(ctx.actor, sent.environment_id)
  throwIfRefused(placementRefusal(ctx.actor, environmentId))
  const document = newDocument(sent, environmentId, newId)
  const { snapshot, warnings } = checkedDocument(document)
  const id = newId()
  return await ctx.inTenant(async (tx) => {
    if (snapshot.dlp_enabled) await keepPatterns(tx)
    await requireEnvironment(tx, ctx.actor, snapshot.environment_id)
    await requirePlanFor(tx, snapshot)
    await claimName(tx, ctx.actor, snapshot)
    const hash = contentHash(snapshot)
    await insertPolicy(tx, { ...snapshot, id, version: 1, content_hash: hash, now: ctx.now })
    if (snapshot.rules.length > 0) await upsertRules(tx, id, snapshot.rules)
    await insertVersion(tx, {
      policyId: id,
      version: 1,
      producedBy: 'created',
      restoredFrom: null,
      savedBy: savedBy(ctx.actor),
      savedAt: ctx.now,
      changeSummary: changeSummary(null, snapshot),
      changeClass: 'neutral',
      snapshot,
      contentHash: hash,
    })
    await recordAudit(tx, ctx, 'policy.created', {
      resource: { type: 'policy', id, name: snapshot.name },
      details: { version: 1 },
      environmentId: snapshot.environment_id,
    })
    await beginBindings(tx, ctx, { ...snapshot, id, bindings_version: 0 })
    const row = { id, tenant_id: tx.tenantId, version: 1, agents: 0, created_at: ctx.now, updated_at: ctx.now }
    return policyAnswer(row, snapshot, warnings) as SavedPolicy
  })
}
