import { isRecord } from '@mandate/contract/fields/is-record'
import { effects, overrideModes } from '@mandate/contract/words/policy-words'
import { findAbsentArguments } from './changes/find-absent-arguments.ts'
import { findDeadRules, type PolicyWarning } from './changes/find-dead-rules.ts'
import { findTextPaths } from './changes/find-text-paths.ts'
import { checkRule, includes, isText, type PolicyFault } from './check-rule.ts'
import type { PolicyDocument } from './types.ts'

/** The result of a validation. A document with errors must not be saved. Warnings are advice, and a document with warnings can be saved. */
export type Validation = { errors: PolicyFault[]; warnings: PolicyWarning[] }

const maxRules = 1000

/**
 * Validates a policy document: the fields that are present, each rule, and the rules together. Never throws, whatever the value is. Looks
 * for warnings only if there are no errors.
 */
export function validateDocument(document: unknown): Validation {
  if (!isRecord(document)) return { errors: [{ path: 'policy', message: 'must be an object' }], warnings: [] }
  const rules = document.rules ?? []
  if (!Array.isArray(rules) || rules.length > maxRules) {
    const tooMany = { path: 'rules', message: `must be a list of at most ${maxRules} rules` }
    return { errors: [...checkFields(document), tooMany], warnings: [] }
  }
  const errors = [...checkFields(document), ...rules.flatMap(checkRule), ...checkTogether(rules)]
  return { errors, warnings: errors.length > 0 ? [] : findWarnings({ ...document, rules } as PolicyDocument) }
}

/** Finds the warnings for a document. It must be valid. */
export function findWarnings({
  rules,
  default_effect,
}: Pick<PolicyDocument, 'rules' | 'default_effect'>): PolicyWarning[] {
  return [...findDeadRules(rules), ...findTextPaths(rules), ...findAbsentArguments(rules, default_effect)]
}

function checkFields(document: Record<string, unknown>): PolicyFault[] {
  const faults: PolicyFault[] = []
  const expect = (field: string, holds: (value: unknown) => boolean, message: string) => {
    const value = document[field]
    if (value !== undefined && !holds(value)) faults.push({ path: field, message })
  }
  expect('name', (value) => isText(value, 200) && value.trim() !== '', 'must be a string of 1 to 200 characters')
  expect('description', (value) => value === null || typeof value === 'string', 'must be a string or null')
  expect('environment_id', (value) => value === null || typeof value === 'string', 'must be an id or null')
  expect('override_mode', (value) => includes(overrideModes, value), `must be one of ${overrideModes.join(', ')}`)
  expect('default_effect', (value) => includes(effects, value), `must be one of ${effects.join(', ')}`)
  expect('dlp_enabled', (value) => typeof value === 'boolean', 'must be true or false')
  return faults
}

// Checks disabled rules too, so that a rule can be enabled later without a conflict of priorities.
function checkTogether(rules: unknown[]): PolicyFault[] {
  const firstAt = { id: new Map<unknown, number>(), priority: new Map<unknown, number>() }
  return rules.flatMap((rule, index) => {
    if (!isRecord(rule)) return []
    return (['id', 'priority'] as const).flatMap((field) => {
      const value = rule[field]
      if (value === undefined) return []
      const first = firstAt[field].get(value)
      if (first === undefined) firstAt[field].set(value, index)
      return first === undefined
        ? []
        : [{ path: `rules[${index}].${field}`, message: `is already used by rules[${first}]` }]
    })
  })
}
