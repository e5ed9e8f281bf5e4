import type { Sql } from '../../../db/database.ts'
import { profileContents } from '../../content/profile-content.ts'
import { findSnapshots } from './current-profile-queries.ts'
import type { CurrentProfile } from './current-profiles.ts'
import { deniesAll } from './profile.ts'
import type { ProfileParts } from './signed-profile.ts'

/** The content of a policy version with the content rules that apply, and their length as JSON in bytes. */
export interface ProfilePolicy extends ProfileParts {
  bytes: number
}

const nothing: ProfilePolicy = { snapshot: null, content: undefined, bytes: 0 }

/**
 * Reads the policies of profiles, each version once, in the order of the profiles, until they have `mostBytes` bytes together. The others have
 * none, and also a profile whose policy was deleted meanwhile.
 */
export async function policiesOf(
  db: Sql,
  profiles: readonly CurrentProfile[],
  mostBytes: number,
): Promise<Map<CurrentProfile, ProfilePolicy>> {
  const keyed = profiles.map((profile) => ({ profile, version: versionOf(profile) }))
  const versions = new Map(keyed.flatMap(({ version }) => (version ? [[keyOf(version), version] as const] : [])))
  const rows = versions.size === 0 ? [] : await findSnapshots(db, [...versions.values()], mostBytes)
  const byVersion = new Map(rows.map((row) => [keyOf(row), row]))
  const contentOf = await profileContents(
    db,
    keyed.flatMap(({ profile }) => setOf(profile) ?? []),
    mostBytes,
  )
  return new Map(
    keyed.flatMap(({ profile, version }) => {
      if (version === null) return [[profile, nothing] as const]
      const policy = byVersion.get(keyOf(version))
      const set = setOf(profile)
      const sized = set === null ? undefined : contentOf(set)
      // A profile without its content rules would allow more than the policy says.
      if (policy === undefined || (set !== null && sized === undefined)) return []
      const bytes = policy.bytes + (sized?.bytes ?? 0)
      return [[profile, { snapshot: policy.snapshot, content: sized?.content, bytes }] as const]
    }),
  )
}

const keyOf = ({ policyId, version }: { policyId: string; version: number }) => `${policyId} ${version}`

function setOf({ state }: CurrentProfile): { policyId: string; version: number } | null {
  const { policy_id: policyId, bindings_version: version } = state
  return deniesAll(state) || policyId === null || version === null ? null : { policyId, version }
}

function versionOf({ state }: CurrentProfile): { policyId: string; version: number } | null {
  const { policy_id: policyId, policy_version: version } = state
  return deniesAll(state) || policyId === null || version === null ? null : { policyId, version }
}
