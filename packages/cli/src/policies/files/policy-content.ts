import { RuleLimit } from '@mandate/contract/fields/rule-limit'
import { Condition } from '@mandate/contract/policies/policies'
import { FileRule, PolicyFileContent } from '@mandate/contract/policies/policy-file'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Condition as PolicyCondition, Rule, Snapshot } from '@mandate/policy/types'
import type { z } from 'zod'

export type PolicyContent = z.output<typeof PolicyFileContent>

/** The fields that a policy file may have at a place, such as those of a rule at `rules[0]`. */
export function fieldsAt(place: readonly PropertyKey[]): string[] {
  const name = place.findLast((part) => typeof part === 'string')
  const { match } = FileRule.shape
  const shapes: Record<string, z.ZodRawShape> = {
    rules: FileRule.shape,
    match: match.shape,
    when: Condition.shape,
    limit: RuleLimit.shape,
  }
  return Object.keys(shapes[String(name)] ?? PolicyFileContent.shape)
}

/**
 * Gives each rule of a file without an id the id of the stored rule with the same priority, which is unique. So a file that never has
 * ids does not save a new version at every push.
 */
export function withRuleIds(content: PolicyContent, stored: readonly Rule[]): PolicyContent {
  if (content.id !== undefined) return content
  const own = new Set(content.rules.map(({ id }) => id))
  const byPriority = new Map(stored.filter(({ id }) => !own.has(id)).map(({ priority, id }) => [priority, id]))
  return { ...content, rules: content.rules.map((rule) => ({ ...rule, id: rule.id ?? byPriority.get(rule.priority) })) }
}

/**
 * Converts the file's content to a snapshot. A rule keeps its id if the stored policy has a rule with that id. Otherwise its
 * id is derived from its position.
 */
export function snapshotOf(
  content: PolicyContent,
  environmentId: string | null,
  known: readonly Rule[] = [],
): Snapshot {
  const ids = new Set(known.map(({ id }) => id))
  const rules = content.rules.map(
    (rule, index): Rule => ({
      id: rule.id && ids.has(rule.id) ? rule.id : `rules[${index}]`,
      name: rule.name ?? '',
      priority: rule.priority,
      enabled: rule.enabled ?? true,
      effect: rule.effect,
      match: { tools: rule.match.tools, when: (rule.match.when ?? []) as PolicyCondition[] },
      reason: rule.reason ?? '',
      ...(rule.limit && { limit: rule.limit }),
    }),
  )
  return takeSnapshot({ ...content, environment_id: environmentId, rules })
}
