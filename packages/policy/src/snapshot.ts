import type { Condition, Snapshot } from './types.ts'

/** The policy fields of a version, without its rules. */
export const snapshotFields = [
  'name',
  'description',
  'environment_id',
  'override_mode',
  'default_effect',
  'dlp_enabled',
] as const satisfies readonly (keyof Snapshot)[]

/** Without `absent`, a condition has no such field, so that its hash is the same as in earlier versions. */
const copyOf = ({ path, op, value, absent }: Condition): Condition => ({
  path,
  op,
  value,
  ...(typeof absent === 'boolean' && { absent }),
})

/**
 * Copies the content of a policy version: its policy fields and its rules, without other fields. Rules are sorted by priority. A rule without
 * a limit has no field `limit`, so its hash is the same as in versions without limits.
 */
export function takeSnapshot(policy: Snapshot): Snapshot {
  const { name, description, environment_id, override_mode, default_effect, dlp_enabled } = policy
  const rules = policy.rules
    .map(({ id, name, priority, enabled, effect, match, reason, limit }) => ({
      id,
      name,
      priority,
      enabled,
      effect,
      match: { tools: match.tools, when: match.when.map(copyOf) },
      reason,
      ...(limit && { limit: { count: limit.count, window_s: limit.window_s } }),
    }))
    .sort((a, b) => a.priority - b.priority)
  return { name, description, environment_id, override_mode, default_effect, dlp_enabled, rules }
}
