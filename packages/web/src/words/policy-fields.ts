import { effects, modeLooks } from '../ui/page/states.ts'
import { limitText, type RuleLimit } from './limit-words.ts'

/** The fields of a policy and of a rule, as the screens name them in a sentence. */
export const policyFields: Readonly<Record<string, string>> = {
  name: 'name',
  description: 'description',
  environment_id: 'environment',
  override_mode: 'enforcement',
  default_effect: 'effect of calls that no rule matches',
  dlp_enabled: 'content rules',
  priority: 'priority',
  enabled: 'state',
  effect: 'effect',
  reason: 'reason',
  match: 'tools and conditions',
  limit: 'limit',
}

export const policyField = (field: string) => policyFields[field] ?? field.replaceAll('_', ' ')

/** What happens to calls that no rule matches. */
export const unmatched = {
  allow: 'are allowed',
  require_approval: 'wait for a person',
  deny: 'are denied',
} as const

/** The name of the environment with this id. */
export type PlaceOf = (id: string) => string

/** The value of a field of a policy or of a rule. */
export function policyValue(field: string, value: unknown, placeOf: PlaceOf): string {
  const known = words[field]?.[String(value)]
  if (known !== undefined) return known
  if (field === 'environment_id') return value === null ? 'every environment' : placeOf(String(value))
  if (field === 'limit') return value ? limitText(value as RuleLimit) : 'off'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
}

const wordsOf = (looks: Record<string, { word: string }>) =>
  Object.fromEntries(Object.entries(looks).map(([value, { word }]) => [value, word]))
const switched = { true: 'on', false: 'off' }

const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  effect: wordsOf(effects),
  default_effect: wordsOf(effects),
  override_mode: wordsOf(modeLooks),
  enabled: switched,
  dlp_enabled: switched,
}
