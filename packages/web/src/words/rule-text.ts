import type { Schema } from '@mandate/sdk'
import type { Hunk } from '../ui/texts/diff.tsx'
import { limitText } from './limit-words.ts'
import { type PlaceOf, policyField, policyValue } from './policy-fields.ts'

type Detail = Schema<'PolicyVersionDetail'>
type Rule = Pick<Schema<'Rule'>, 'name' | 'priority' | 'enabled' | 'effect' | 'reason' | 'match' | 'limit'>

/** A rule as lines, one fact each, for a diff. */
export function ruleText({ name, priority, enabled, effect, reason, match, limit }: Rule): string {
  return [
    `name: ${name}`,
    ...matchLines(match),
    `effect: ${effect}`,
    ...(limit ? [`limit: ${limitText(limit)}`] : []),
    ...(reason === '' ? [] : [`reason: ${reason}`]),
    `priority: ${priority}`,
    ...(enabled ? [] : ['enabled: false']),
  ].join('\n')
}

const matchLines = ({ tools, when }: Rule['match']) => [
  ...tools.map((tool) => `tool: ${tool}`),
  ...when.map((condition) => `when: ${conditionText(condition)}`),
]

const conditionText = ({ path, op, value, absent }: Schema<'Condition'>) =>
  `${path} ${op} ${JSON.stringify(value)}${absent === undefined ? '' : `, absent: ${absent}`}`

/** What changed between two versions of a policy: its fields, and its rules. */
export function hunksOf({ diff, snapshot }: Detail, placeOf: PlaceOf): Hunk[] {
  // The first version has nothing before it.
  if (diff === null) return []
  const titles = new Map(snapshot.rules.map((rule) => [rule.id, titleOf(rule)]))
  const { added, changed, removed } = diff.rules
  const lineOf = (field: string, value: unknown) =>
    field === 'match'
      ? matchLines(value as Rule['match']).join('\n')
      : `${policyField(field)}: ${policyValue(field, value, placeOf)}`
  return [
    ...diff.fields.map(({ field, from, to, change_class }) => ({
      title: `The ${policyField(field)} changed`,
      changeClass: change_class,
      before: lineOf(field, from),
      after: lineOf(field, to),
    })),
    ...added.map((rule) => ({
      title: `${titleOf(rule)} was added`,
      is: rule.effect,
      changeClass: rule.change_class,
      before: '',
      after: ruleText(rule),
    })),
    ...changed.map(({ id, fields, change_class }) => ({
      title: `${titles.get(id) ?? `Rule ${id}`} changed`,
      changeClass: change_class,
      ...effectsOf(fields),
      before: fields.map(({ field, from }) => lineOf(field, from)).join('\n'),
      after: fields.map(({ field, to }) => lineOf(field, to)).join('\n'),
    })),
    ...removed.map((rule) => ({
      title: `${titleOf(rule)} was removed`,
      was: rule.effect,
      changeClass: rule.change_class,
      before: ruleText(rule),
      after: '',
    })),
  ]
}

const decidingFields = ['environment_id', 'override_mode', 'default_effect', 'dlp_enabled'] as const

type Snapshot = Detail['snapshot']

/** What differs between two policies. Their rules have different ids, so a rule is in both if its text is. */
export function hunksOfPolicies(before: Snapshot, after: Snapshot, placeOf: PlaceOf): Hunk[] {
  const fieldsOf = (policy: Snapshot) =>
    decidingFields.map((field) => `${policyField(field)}: ${policyValue(field, policy[field], placeOf)}`).join('\n')
  const onlyIn = (policy: Snapshot, other: Snapshot) => {
    const texts = new Set(other.rules.map(ruleText))
    return policy.rules.filter((rule) => !texts.has(ruleText(rule)))
  }
  const fields = { title: 'The policies have different settings', before: fieldsOf(before), after: fieldsOf(after) }
  return [
    // Two environments may have the same words, such as those for one that the reader does not see.
    ...(decidingFields.every((field) => before[field] === after[field]) ? [] : [fields]),
    ...onlyIn(after, before).map((rule) => ({
      title: `${titleOf(rule)} is only in ${after.name}`,
      is: rule.effect,
      before: '',
      after: ruleText(rule),
    })),
    ...onlyIn(before, after).map((rule) => ({
      title: `${titleOf(rule)} is only in ${before.name}`,
      was: rule.effect,
      before: ruleText(rule),
      after: '',
    })),
  ]
}

const titleOf = ({ name, priority }: Pick<Rule, 'name' | 'priority'>) => `Rule ${name || priority}`

type FieldChange = NonNullable<Detail['diff']>['rules']['changed'][number]['fields'][number]

/** The effect of a rule before and after, if it changed. */
function effectsOf(fields: readonly FieldChange[]): Pick<Hunk, 'was' | 'is'> {
  const change = fields.find(({ field }) => field === 'effect')
  return change ? { was: change.from as Rule['effect'], is: change.to as Rule['effect'] } : {}
}
