import type { Schema } from '@mandate/sdk'
import type { RuleLimit } from '../../../words/limit-words.ts'
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
