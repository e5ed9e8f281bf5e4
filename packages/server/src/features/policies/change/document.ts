import type { NewPolicy, NewRule, PolicyUpdate, RuleUpdate } from '@mandate/contract/policies/policies'
import type { PolicyWarning } from '@mandate/policy/changes/find-dead-rules'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Condition, Rule, Snapshot } from '@mandate/policy/types'
import { findWarnings, validateDocument } from '@mandate/policy/validate'
import { canonicalJson } from '@mandate/proofs/canonical'
import { invalid, Refusal } from '../../../refusal.ts'

export const maxDocumentBytes = 1024 * 1024
/** A document can have 200,000 faults. The response lists only the first ones. */
const mostFaults = 1000

/** Returns a new policy's document. Fields that were not sent get their default. `newRuleId` gives each rule an id. */
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

/** Returns a copy of the document. Fields that the request contains replace the fields of the document. */
export function withFields(document: Snapshot, sent: PolicyUpdate): Snapshot {
  const { name, description, environment_id, override_mode, default_effect, dlp_enabled } = sent
  const fields = { name, description, environment_id, override_mode, default_effect, dlp_enabled }
  return { ...document, ...withoutUndefined(fields) }
}

/** Returns a rule to store. Fields that were not sent get their default. */
export function ruleOf(sent: NewRule, id: string): Rule {
  return {
    id,
    name: sent.name ?? '',
    priority: sent.priority,
    enabled: sent.enabled ?? true,
    effect: sent.effect,
    match: { tools: sent.match.tools, when: (sent.match.when ?? []) as Condition[] },
    reason: sent.reason ?? '',
    ...(sent.limit && { limit: sent.limit }),
  }
}

/**
 * Returns a copy of the document with one rule changed. Returns undefined if the document does not contain the rule. If the
 * request contains `match`, it replaces the rule's whole `match`.
 */
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
 * Checks a document. Returns its snapshot (the content of the version to store) and warnings. Errors name a rule by its index
 * in the request. Warnings name a rule by its index in the response, where the rules are sorted by priority. `prefix` is the
 * path of the document in the request body.
 * @throws 400 with the first error; if `listFaults` is set, also with the first 1,000 errors in `errors`
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
    throw invalid(`${prefix}rules: the policy is larger than 1 MiB; use fewer or shorter rules`)
  }
  return { snapshot, warnings: findWarnings(snapshot) }
}

function withoutUndefined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}
