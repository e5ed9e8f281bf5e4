import type { PolicyVersion, PolicyVersionDetail } from '@mandate/contract/policies/policies'
import { classifyDiff } from '@mandate/policy/changes/classify-diff'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { notFound } from '../../../refusal.ts'
import { requireVisible } from '../require-policy.ts'
import { findVersion, findVersions } from './version-queries.ts'

/** Returns a policy's versions, newest first, each with its change summary. @throws 404 for a policy that the caller cannot see */
export async function listVersions(ctx: Ctx<Member>, policyId: string, page: { limit: number; offset: number }) {
  const [, { rows, total }] = await Promise.all([
    requireVisible(ctx.sql, ctx.actor, policyId),
    findVersions(ctx.sql, policyId, page),
  ])
  return { data: rows.map(versionAnswer), total, ...page }
}

/** Returns one version: its snapshot and its difference from another version. @throws 404 if one of them is unknown */
export async function getVersion(
  ctx: Ctx<Member>,
  policyId: string,
  version: number,
  against?: number,
): Promise<PolicyVersionDetail> {
  const [, row, previous] = await Promise.all([
    requireVisible(ctx.sql, ctx.actor, policyId),
    findVersion(ctx.sql, policyId, version),
    findVersion(ctx.sql, policyId, against ?? version - 1),
  ])
  if (!row || (against !== undefined && !previous)) throw notFound('policy version')
  const snapshot = takeSnapshot(row.snapshot)
  const diff = classifyDiff(previous ? takeSnapshot(previous.snapshot) : null, snapshot)
  return { ...versionAnswer(row), snapshot, diff } as PolicyVersionDetail
}

type VersionRow = Awaited<ReturnType<typeof findVersions>>['rows'][number]

function versionAnswer(row: VersionRow): PolicyVersion {
  const { version, produced_by, restored_from, saved_by, saved_at, change_summary, change_class, content_hash } = row
  const { user_id, display_name, email } = saved_by
  const { fields, rules_added, rules_removed, rules_changed } = change_summary
  return {
    version,
    produced_by,
    ...(restored_from !== null && { restored_from }),
    saved_by: { user_id, display_name, email },
    saved_at,
    change_summary: { fields, rules_added, rules_removed, rules_changed },
    change_class,
    content_hash,
  }
}
