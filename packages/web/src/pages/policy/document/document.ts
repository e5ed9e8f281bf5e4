import type { Schema } from '@mandate/sdk'
import type { RuleLimit } from '../../../words/limit-words.ts'
import type { Fault } from '../text/fault-marks.ts'
import { faultOf } from '../text/json-fault.ts'
import { InexactNumber, parseExact } from './exact-json.ts'

export type Policy = Schema<'Policy'>
export type Rule = Schema<'Rule'>
export type Condition = Schema<'Condition'>
export type Value = Condition['value']

/** A rule of a document. A rule that is not saved yet has no id. */
export type DocumentRule = Omit<Rule, 'id'> & { id?: string }
/** What the form and the text edit: the fields and the rules of a policy. */
export type Document = Pick<Policy, (typeof fieldNames)[number]> & { rules: DocumentRule[] }

export const fieldNames = [
  'name',
  'description',
  'environment_id',
  'override_mode',
  'default_effect',
  'dlp_enabled',
] as const

/** The part of a policy, or of the snapshot of a version, that can be edited. */
export function documentOf(policy: Omit<Document, 'rules'> & { rules: readonly Rule[] }): Document {
  const { name, description, environment_id, override_mode, default_effect, dlp_enabled, rules } = policy
  return {
    name,
    description,
    environment_id,
    override_mode,
    default_effect,
    dlp_enabled,
    rules: rules.map(ruleOf),
  }
}

/** The fields that decide calls. The name, the description and the place of a policy do not, and two policies cannot have the same name. */
export function decidingPart(policy: Parameters<typeof documentOf>[0]): Partial<Document> {
  const { name: _name, description: _description, environment_id: _place, ...part } = documentOf(policy)
  return part
}

function ruleOf({ id, name, priority, enabled, effect, match, reason, limit }: Rule): DocumentRule {
  return {
    id,
    name,
    priority,
    enabled,
    effect,
    match: { tools: match.tools, when: match.when.map(conditionOf) },
    reason,
    ...(limit && { limit }),
  }
}

const conditionOf = ({ path, op, value, absent }: Condition): Condition => ({
  path,
  op,
  value,
  ...(absent !== undefined && { absent }),
})

export const textOf = (document: unknown) => JSON.stringify(document, null, 2)

/** Reads a document from text. What is not JSON, or has no list of rules, is an error with its line if it is known. */
export function readText(text: string): { document: Document } | { error: string } {
  let value: unknown
  try {
    value = parseExact(text)
  } catch (error) {
    if (error instanceof InexactNumber) return { error: error.message }
    return { error: `Line ${text.slice(0, faultOf(text)).split('\n').length} is not valid JSON.` }
  }
  if (typeof value !== 'object' || value === null || !Array.isArray((value as Document).rules))
    return { error: 'The text must be an object with a list of rules.' }
  return { document: value as Document }
}

/** What a save ignores of a policy as the API answers it. */
const answered = {
  id: 0,
  tenant_id: 0,
  version: 0,
  agents: 0,
  created_at: 0,
  updated_at: 0,
  warnings: 0,
  may: 0,
  may_not: 0,
} satisfies Record<Exclude<keyof Policy, keyof Document>, 0>
const documentNames = new Set<string>([...fieldNames, 'rules', ...Object.keys(answered)])
const ruleNames = new Set<string>(
  Object.keys({ id: 0, name: 0, priority: 0, enabled: 0, effect: 0, match: 0, reason: 0, limit: 0 } satisfies Record<
    keyof DocumentRule,
    0
  >),
)
const matchNames = new Set<string>(Object.keys({ tools: 0, when: 0 } satisfies Record<keyof Rule['match'], 0>))
const conditionNames = new Set<string>(
  Object.keys({ path: 0, op: 0, value: 0, absent: 0 } satisfies Record<keyof Condition, 0>),
)
const limitNames = new Set<string>(Object.keys({ count: 0, window_s: 0 } satisfies Record<keyof RuleLimit, 0>))

/**
 * The fields of a typed document that no policy has. The API ignores them, so a misspelled `when` would remove the conditions of a rule without a
 * word.
 */
export function unknownFields(document: Document): Fault[] {
  const faults: Fault[] = []
  const look = (value: unknown, path: string, known: ReadonlySet<string>) => {
    for (const name of Object.keys(objectOf(value)).filter((key) => !known.has(key))) {
      const place = path === '' ? name : `${path}.${name}`
      faults.push({ path: place, message: `${place} is not a field of ${path === '' ? 'a policy' : 'this object'}` })
    }
  }
  look(document, '', documentNames)
  for (const [index, value] of (document.rules as unknown[]).entries()) {
    const [rule, path] = [objectOf(value), `rules[${index}]`]
    look(rule, path, ruleNames)
    look(rule.match, `${path}.match`, matchNames)
    look(rule.limit, `${path}.limit`, limitNames)
    for (const [at, condition] of listOf(objectOf(rule.match).when).entries())
      look(condition, `${path}.match.when[${at}]`, conditionNames)
  }
  return faults
}

/** The document as the form needs it. Parts that are missing or have another type are filled in; the text keeps what was typed. */
export function forForm(document: Document): Document {
  const rules: unknown[] = document.rules
  return {
    ...document,
    name: stringOf(document.name),
    description: stringOf(document.description),
    rules: rules.map(formRule),
  }
}

const stringOf = (value: unknown) => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function formRule(value: unknown): DocumentRule {
  const rule = objectOf(value)
  const match = objectOf(rule.match)
  const effect = rule.effect === 'allow' || rule.effect === 'require_approval' ? rule.effect : 'deny'
  return {
    ...(typeof rule.id === 'string' && { id: rule.id }),
    name: stringOf(rule.name),
    priority: typeof rule.priority === 'number' ? rule.priority : 0,
    enabled: rule.enabled !== false,
    effect,
    match: {
      tools: listOf(match.tools).filter((tool) => typeof tool === 'string'),
      when: listOf(match.when).map((condition) => {
        const { path, op, value, absent } = objectOf(condition)
        const given = { path: stringOf(path), op: stringOf(op) || 'eq', value: (value ?? '') as Value }
        return { ...given, ...(absent !== undefined && { absent }) } as Condition
      }),
    },
    reason: stringOf(rule.reason),
    ...(rule.limit !== undefined && rule.limit !== null && { limit: formLimit(rule.limit) }),
  }
}

function formLimit(value: unknown): RuleLimit {
  const { count, window_s } = objectOf(value)
  return { count: numberOf(count), window_s: numberOf(window_s) }
}

/** A new rule after all others. */
export function newRule(rules: readonly DocumentRule[]): DocumentRule {
  const last = Math.max(0, ...rules.map(({ priority }) => priority))
  return { name: '', priority: last + 10, enabled: true, effect: 'deny', match: { tools: [], when: [] }, reason: '' }
}

/** True if the effect of a saved rule was changed and its reason was not. */
export function hasOldReason(rule: DocumentRule, saved: readonly DocumentRule[]): boolean {
  const before = saved.find(({ id }) => id !== undefined && id === rule.id)
  return before !== undefined && rule.reason !== '' && before.reason === rule.reason && before.effect !== rule.effect
}

/** How a rule differs from the saved policy. */
export function stateOf(rule: DocumentRule, saved: readonly DocumentRule[]): 'new' | 'changed' | 'same' {
  const before = saved.find(({ id }) => id !== undefined && id === rule.id)
  if (!before) return 'new'
  return JSON.stringify(before) === JSON.stringify(rule) ? 'same' : 'changed'
}

/** Number of fields and rules that the draft changes. */
export function changesOf(before: Document, after: Document): number {
  const fields = fieldNames.filter((name) => before[name] !== after[name]).length
  const rules = after.rules.filter((rule) => stateOf(rule, before.rules) !== 'same').length
  const kept = new Set(after.rules.map(({ id }) => id))
  return fields + rules + before.rules.filter(({ id }) => !kept.has(id)).length
}
