import { isSameName } from '@mandate/contract/fields/name-key'
import type { Policy, PolicyVersion } from '@mandate/contract/policies/policies'
import { classifyChange } from '@mandate/policy/changes/classify-change'
import { changeSummary, diffSnapshots } from '@mandate/policy/changes/diff'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import type { AuditEvent } from '../../../audit/events.ts'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { lockEnvironmentForKeyShare } from '../../../caller/working-environment.ts'
import type { Tx } from '../../../db/database.ts'
import { conflict, invalid, throwIfRefused } from '../../../refusal.ts'
import { keepPatterns } from '../../content/pattern-lock.ts'
import { requireMatch } from '../if-match.ts'
import { countAgents } from '../list/list-queries.ts'
import { policyAnswer } from '../policy-answer.ts'
import { deleteRules, findRules, isPolicyUsedElsewhere, lockPolicy, updatePolicyRow, upsertRules } from '../queries.ts'
import { requireReach } from '../require-policy.ts'
import { placementRefusal } from '../rules.ts'
import { insertVersion } from '../versions/version-queries.ts'
import { beginBindings } from './content-bindings.ts'
import { requireContentPlan } from './content-plan.ts'
import { checkedDocument } from './document.ts'
import { claimName, namesakeWarnings } from './policy-name.ts'

/** A change of a policy: how to change its document, and the fields of the new version and the audit entry. */
export interface Change {
  /** Returns the changed document. @throws if there is nothing to change, such as an unknown rule */
  apply(current: Snapshot, tx: Tx): Snapshot | Promise<Snapshot>
  producedBy: Exclude<PolicyVersion['produced_by'], 'created'>
  restoredFrom?: number
  /** Details of the audit entry besides the version. */
  details?: Record<string, unknown>
}

export type SavedPolicy = Policy & { warnings: NonNullable<Policy['warnings']> }

/**
 * Saves a policy as its next version. Each save locks the policy's row, so saves run one at a time and version numbers have no
 * gaps. A save that changes nothing also records a version.
 * @throws 404, 403, 412, then 400 for the document, 402 for features that the plan does not include, 409 if agents of another
 *   environment use the policy, 409 for a change of the name or the environment if another policy has this name there
 */
export function savePolicy(
  ctx: Ctx<Member>,
  policyId: string,
  change: Change,
  ifMatch: string | undefined,
): Promise<SavedPolicy> {
  return ctx.inTenant(async (tx) => {
    const [, found] = await Promise.all([keepPatterns(tx), lockPolicy(tx, ctx.actor, policyId)])
    const row = requireReach(found)
    const current = takeSnapshot({ ...row, rules: await findRules(tx, policyId) })
    const asked = await change.apply(current, tx)
    const moves = asked.environment_id !== current.environment_id
    if (moves) throwIfRefused(placementRefusal(ctx.actor, asked.environment_id))
    requireMatch(ifMatch, row.version)
    const { snapshot, warnings } = checkedDocument(asked)
    if (moves) await requireEnvironment(tx, ctx.actor, snapshot.environment_id)
    if (!current.dlp_enabled) await requirePlanFor(tx, snapshot)
    if (moves) await requireNoAgentElsewhere(tx, policyId, snapshot.environment_id)
    if (moves || !isSameName(snapshot.name, current.name)) await claimName(tx, ctx.actor, { ...snapshot, id: policyId })
    const version = row.version + 1
    await store(tx, ctx, { policyId, version, current, snapshot, change })
    await beginBindings(tx, ctx, { ...snapshot, id: policyId, bindings_version: row.bindings_version })
    const [agents, namesakes] = await Promise.all([
      countAgents(tx, ctx.actor, policyId),
      namesakeWarnings(tx, ctx.actor, { ...snapshot, id: policyId }),
    ])
    const saved = { ...row, version, agents, updated_at: ctx.now }
    return policyAnswer(saved, snapshot, [...namesakes, ...warnings]) as SavedPolicy
  })
}

interface NextVersion {
  policyId: string
  version: number
  current: Snapshot
  snapshot: Snapshot
  change: Change
}

async function store(tx: Tx, ctx: Ctx<Member>, { policyId, version, current, snapshot, change }: NextVersion) {
  const hash = contentHash(snapshot)
  const { rules: ofRules } = diffSnapshots(current, snapshot)!
  const touched = new Set([...ofRules.added, ...ofRules.changed].map(({ id }) => id))
  await updatePolicyRow(tx, { ...snapshot, id: policyId, version, content_hash: hash, now: ctx.now })
  if (ofRules.removed.length > 0) {
    await deleteRules(
      tx,
      policyId,
      ofRules.removed.map(({ id }) => id),
    )
  }
  if (touched.size > 0) {
    await upsertRules(
      tx,
      policyId,
      snapshot.rules.filter(({ id }) => touched.has(id)),
    )
  }
  await insertVersion(tx, {
    policyId,
    version,
    producedBy: change.producedBy,
    restoredFrom: change.restoredFrom ?? null,
    savedBy: savedBy(ctx.actor),
    savedAt: ctx.now,
    changeSummary: changeSummary(current, snapshot),
    changeClass: classifyChange(current, snapshot),
    snapshot,
    contentHash: hash,
  })
  await recordAudit(tx, ctx, `policy.${change.producedBy}` satisfies AuditEvent, {
    resource: { type: 'policy', id: policyId, name: snapshot.name },
    details: { version, ...change.details },
    environmentId: snapshot.environment_id,
  })
}

/** Returns the user who saves a version, with the user's current name. */
export function savedBy({ userId, displayName, email }: Member): PolicyVersion['saved_by'] {
  return { user_id: userId, display_name: displayName, email }
}

/** @throws 400 with the same text for an unknown environment and for one that the caller has no access to */
export async function requireEnvironment(tx: Tx, actor: Member, environmentId: string | null): Promise<void> {
  if (environmentId === null || (await lockEnvironmentForKeyShare(tx, actor, environmentId))) return
  throw invalid('environment_id: environment not found')
}

/** @throws 402 if the document uses a feature that the tenant's plan does not include */
export async function requirePlanFor(tx: Tx, snapshot: Snapshot): Promise<void> {
  if (snapshot.dlp_enabled) await requireContentPlan(tx)
}

async function requireNoAgentElsewhere(tx: Tx, policyId: string, environmentId: string | null): Promise<void> {
  if (environmentId === null) return
  if (await isPolicyUsedElsewhere(tx, policyId, environmentId)) {
    throw conflict('agents of another environment use this policy; assign another policy to them first')
  }
}
