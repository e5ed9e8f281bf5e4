import { canonicalJson } from '@mandate/proofs/canonical'
import { snapshotFields } from '../snapshot.ts'
import type { Rule, Snapshot } from '../types.ts'

export type FieldChange = { field: string; from: unknown; to: unknown }
export type RuleChange = { id: string; fields: FieldChange[] }
export type SnapshotDiff = {
  fields: FieldChange[]
  rules: { added: Rule[]; removed: Rule[]; changed: RuleChange[] }
}
export type ChangeSummary = {
  fields: string[]
  rules_added: number
  rules_removed: number
  rules_changed: number
}

const ruleFields = [
  'name',
  'priority',
  'enabled',
  'effect',
  'match',
  'reason',
  'limit',
] as const satisfies readonly (keyof Rule)[]

/**
 * Compares two versions of a policy. Rules are compared with the rule of the same id. Returns null for the first version, which has no
 * previous version.
 */
export function diffSnapshots(previous: Snapshot | null, next: Snapshot): SnapshotDiff | null {
  if (previous === null) return null
  const before = new Map(previous.rules.map((rule) => [rule.id, rule]))
  const after = new Set(next.rules.map((rule) => rule.id))
  const added: Rule[] = []
  const changed: RuleChange[] = []
  for (const rule of next.rules) {
    const old = before.get(rule.id)
    if (old === undefined) {
      added.push(rule)
      continue
    }
    const fields = changedFields(old, rule, ruleFields)
    if (fields.length > 0) changed.push({ id: rule.id, fields })
  }
  return {
    fields: changedFields(previous, next, snapshotFields),
    rules: { added, removed: previous.rules.filter((rule) => !after.has(rule.id)), changed },
  }
}

/**
 * Summarizes a change for the list of versions: the names of the changed fields, and the numbers of changed rules. The summary is empty for
 * the first version.
 */
export function changeSummary(previous: Snapshot | null, next: Snapshot): ChangeSummary {
  const diff = diffSnapshots(previous, next)
  return {
    fields: diff?.fields.map(({ field }) => field) ?? [],
    rules_added: diff?.rules.added.length ?? 0,
    rules_removed: diff?.rules.removed.length ?? 0,
    rules_changed: diff?.rules.changed.length ?? 0,
  }
}

function changedFields<T>(from: T, to: T, fields: readonly (keyof T & string)[]): FieldChange[] {
  return fields
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }))
    .filter((change) => canonicalJson(change.from) !== canonicalJson(change.to))
}
