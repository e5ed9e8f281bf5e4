import type { PolicyVersion } from '@mandate/contract/policies/policies'
import type { ChangeClass } from '@mandate/policy/changes/classify-change'
import type { ChangeSummary } from '@mandate/policy/changes/diff'
import type { Snapshot } from '@mandate/policy/types'
import type { Sql, Tx } from '../../../db/database.ts'
import { countBounded } from '../../../db/lists/bounded-count.ts'
import { raw, sql } from '../../../db/statements/statement.ts'

export interface NewVersion {
  policyId: string
  version: number
  producedBy: PolicyVersion['produced_by']
  restoredFrom: number | null
  savedBy: PolicyVersion['saved_by']
  savedAt: string
  changeSummary: ChangeSummary
  changeClass: ChangeClass
  snapshot: Snapshot
  contentHash: string
}

export function insertVersion(tx: Tx, version: NewVersion) {
  return tx.all(
    raw(
      `insert into policy_versions (tenant_id, policy_id, version, produced_by, restored_from, saved_by, saved_at,
         change_summary, change_class, snapshot, content_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        tx.tenantId,
        version.policyId,
        version.version,
        version.producedBy,
        version.restoredFrom,
        JSON.stringify(version.savedBy),
        version.savedAt,
        JSON.stringify(version.changeSummary),
        version.changeClass,
        JSON.stringify(version.snapshot),
        version.contentHash,
      ],
    ),
  )
}

const columns = [
  'version',
  'produced_by',
  'restored_from',
  'saved_by',
  'saved_at',
  'change_summary',
  'change_class',
  'content_hash',
] as const

const versionsOf = (db: Sql, policyId: string) =>
  sql.selectFrom('policy_versions').where('tenant_id', '=', db.tenantId).where('policy_id', '=', policyId)

/** Returns versions, newest first. */
export async function findVersions(db: Sql, policyId: string, { limit, offset }: { limit: number; offset: number }) {
  const [rows, total] = await Promise.all([
    db.all(versionsOf(db, policyId).select(columns).orderBy('version', 'desc').limit(limit).offset(offset)),
    countBounded(db, versionsOf(db, policyId)),
  ])
  return { rows, total }
}

export function findVersion(db: Sql, policyId: string, version: number) {
  return db.maybe(versionsOf(db, policyId).select(columns).select('snapshot').where('version', '=', version))
}

/** Returns the tenant's policies that have no versions. */
export function findPoliciesWithoutHistory(db: Sql): Promise<{ id: string }[]> {
  return db.all(
    raw<{ id: string }>(
      `select p.id from policies p where p.tenant_id = $1 and not exists (
         select from policy_versions v where v.tenant_id = p.tenant_id and v.policy_id = p.id)`,
      [db.tenantId],
    ),
  )
}

/** Locks a policy without versions. Returns undefined if it has versions now or was deleted. */
export async function lockPolicyWithoutHistory(tx: Tx, policyId: string) {
  const policy = await tx.maybe(
    sql
      .selectFrom('policies')
      .select(['name', 'description', 'environment_id', 'override_mode', 'default_effect', 'dlp_enabled'])
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', policyId)
      .forUpdate(),
  )
  const begun = await tx.maybe(versionsOf(tx, policyId).select('version').limit(1))
  return begun ? undefined : policy
}
