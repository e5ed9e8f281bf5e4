import type { Sql } from '../../db/database.ts'
import { findSnapshots } from './current-profile-queries.ts'
import type { CurrentProfile } from './current-profiles.ts'
import { deniesAll } from './profile.ts'

/** The content of a policy version, and its length as JSON. `snapshot` is null for a profile that denies every call. */
export interface ProfilePolicy {
  snapshot: Record<string, unknown> | null
  length: number
}

const nothing: ProfilePolicy = { snapshot: null, length: 0 }

/** Reads the policies of profiles, each version once. A profile whose policy was deleted meanwhile has none. */
export async function policiesOf(
  db: Sql,
  profiles: readonly CurrentProfile[],
): Promise<Map<CurrentProfile, ProfilePolicy>> {
  const keyed = profiles.map((profile) => ({ profile, version: versionOf(profile) }))
  const versions = new Map(keyed.flatMap(({ version }) => (version ? [[keyOf(version), version] as const] : [])))
  const rows = versions.size === 0 ? [] : await findSnapshots(db, [...versions.values()])
  const byVersion = new Map(
    rows.map((row) => [keyOf(row), { snapshot: row.snapshot, length: JSON.stringify(row.snapshot).length }]),
  )
  return new Map(
    keyed.flatMap(({ profile, version }) => {
      const policy = version === null ? nothing : byVersion.get(keyOf(version))
      return policy ? [[profile, policy] as const] : []
    }),
  )
}

const keyOf = ({ policyId, version }: { policyId: string; version: number }) => `${policyId} ${version}`

function versionOf({ state }: CurrentProfile): { policyId: string; version: number } | null {
  const { policy_id: policyId, policy_version: version } = state
  return deniesAll(state) || policyId === null || version === null ? null : { policyId, version }
}
