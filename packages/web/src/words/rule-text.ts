import type { Schema } from '@mandate/sdk'
import type { Hunk } from '../ui/texts/diff.tsx'
import { limitText, type RuleLimit } from './limit-words.ts'

type Detail = Schema<'PolicyVersionDetail'>
type Rule = Pick<Schema<'Rule'>, 'name' | 'priority' | 'enabled' | 'effect' | 'reason' | 'match' | 'limit'>

/** A rule as lines, one fact each, for a diff. */
export function ruleText({ name, priority, enabled, effect, reason, match, limit }: Rule): string {
  return [
    `name: ${name}`,
    ...match.tools.map((tool) => `tool: ${tool}`),
    ...match.when.map((condition) => `when: ${conditionText(condition)}`),
    `effect: ${effect}`,
    ...(limit ? [`limit: ${limitText(limit)}`] : []),
    ...(reason === '' ? [] : [`reason: ${reason}`]),
    `priority: ${priority}`,
    ...(enabled ? [] : ['enabled: false']),
  ].join('\n')
}

const conditionText = ({ path, op, value, absent }: Schema<'Condition'>) =>
  `${path} ${op} ${JSON.stringify(value)}${absent === undefined ? '' : `, absent: ${absent}`}`

/** The fields of a policy, as its page names them. */
const fieldTitles: Readonly<Record<string, string>> = {
  name: 'The name',
  description: 'The description',
  environment_id: 'The environment',
  override_mode: 'The mode',
  default_effect: 'The default effect',
  dlp_enabled: 'Content rules',
}

/** What changed between two versions of a policy: its fields, and its rules. */
export function hunksOf({ diff, snapshot }: Detail): Hunk[] {
  // The first version has nothing before it.
  if (diff === null) return []
  const titles = new Map(snapshot.rules.map((rule) => [rule.id, titleOf(rule)]))
  const { added, changed, removed } = diff.rules
  return [
    ...diff.fields.map(({ field, from, to, change_class }) => ({
      title: `${fieldTitles[field] ?? `The field ${field}`} changed`,
      changeClass: change_class,
      before: `${field}: ${valueText(from)}`,
      after: `${field}: ${valueText(to)}`,
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
      before: fields.map(({ field, from }) => `${field}: ${fieldText(field, from)}`).join('\n'),
      after: fields.map(({ field, to }) => `${field}: ${fieldText(field, to)}`).join('\n'),
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

const titleOf = ({ name, priority }: Pick<Rule, 'name' | 'priority'>) => `Rule ${name || priority}`

type FieldChange = NonNullable<Detail['diff']>['rules']['changed'][number]['fields'][number]

/** The effect of a rule before and after, if it changed. */
function effectsOf(fields: readonly FieldChange[]): Pick<Hunk, 'was' | 'is'> {
  const change = fields.find(({ field }) => field === 'effect')
  return change ? { was: change.from as Rule['effect'], is: change.to as Rule['effect'] } : {}
}

/** The text of a changed field: a limit as a phrase, a text as it is, and other values as JSON. */
function fieldText(field: string, value: unknown): string {
  if (field !== 'limit') return valueText(value)
  return value === null ? 'off' : limitText(value as RuleLimit)
}

const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1))
