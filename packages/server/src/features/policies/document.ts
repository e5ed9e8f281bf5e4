import type { NewPolicy, NewRule, PolicyUpdate, RuleUpdate } from '@mandate/contract/policies'
import type { PolicyWarning } from '@mandate/policy/find-dead-rules'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Condition, Rule, Snapshot } from '@mandate/policy/types'
import { findWarnings, validateDocument } from '@mandate/policy/validate'
import { canonicalJson } from '@mandate/proofs/canonical'
import { invalid, Refusal } from '../../refusal.ts'

export const maxDocumentBytes = 1024 * 1024
/** A document can have 200,000 faults; nobody reads more than the first ones. */
const mostFaults = 1000

/** A new policy's document; what is not sent takes its default. `newRuleId` names each rule. */
export function newDocument(sent: NewPolicy, environmentId: string | null, newRuleId: () => string): Snapshot {
  return {
    name: sent.name,
    description: sent.description ?? '',
    environment_id: environmentId,
    override_mode: sent.override_mode ?? 'inherit',
    default_effect: sent.default_effect ?? 'deny',
    dlp_enabled: sent.dlp_enabled ?? false,
    rules: (sent.rules ?? []).map((rule) => ruleOf(rule, newRuleId())),
  }
}

/** The document with the fields sent; the others are left as they are. */
export function withFields(document: Snapshot, sent: PolicyUpdate): Snapshot {
  const { name, description, environment_id, override_mode, default_effect, dlp_enabled } = sent
  const fields = { name, description, environment_id, override_mode, default_effect, dlp_enabled }
  return { ...document, ...withoutUndefined(fields) }
}

/** A rule as it is stored, whatever was left out of what was sent. */
export function ruleOf(sent: NewRule, id: string): Rule {
  return {
    id,
    name: sent.name ?? '',
    priority: sent.priority,
    enabled: sent.enabled ?? true,
    effect: sent.effect,
    match: { tools: sent.match.tools, when: (sent.match.when ?? []) as Condition[] },
    reason: sent.reason ?? '',
  }
}

/** The document with one rule changed; undefined when it has no such rule. A `match` that is sent replaces the old one. */
export function withRule(document: Snapshot, ruleId: string, sent: RuleUpdate): Snapshot | undefined {
  if (!document.rules.some(({ id }) => id === ruleId)) return undefined
  const change = (rule: Rule) => ruleOf({ ...rule, ...withoutUndefined(sent) } as NewRule, ruleId)
  return { ...document, rules: document.rules.map((rule) => (rule.id === ruleId ? change(rule) : rule)) }
}

export function withoutRule(document: Snapshot, ruleId: string): Snapshot | undefined {
  const rules = document.rules.filter(({ id }) => id !== ruleId)
  return rules.length === document.rules.length ? undefined : { ...document, rules }
}

/**
 * What a save stores of a document and warns of. Faults are named by the place that rules were sent in, warnings by the
 * place they are served in. `prefix` is where the document stands in the body.
 * @throws 400 naming the first fault, with the first 1,000 in `errors` when `listFaults` is set
 */
export function checkedDocument(
  document: Snapshot,
  { prefix = '', listFaults = false } = {},
): { snapshot: Snapshot; warnings: PolicyWarning[] } {
  const faults = validateDocument(document).errors.slice(0, mostFaults)
  const errors = faults.map((fault) => ({ ...fault, path: prefix + fault.path }))
  const [first] = errors
  if (first) throw new Refusal(400, `${first.path} ${first.message}`, { extra: listFaults ? { errors } : {} })
  const snapshot = takeSnapshot(document)
  if (Buffer.byteLength(canonicalJson(snapshot)) > maxDocumentBytes) {
    throw invalid(`${prefix}rules must not make the policy larger than 1 MiB`)
  }
  return { snapshot, warnings: findWarnings(snapshot.rules) }
}

function withoutUndefined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}
