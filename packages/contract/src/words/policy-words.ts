export const effects = ['allow', 'deny', 'require_approval'] as const
export const governanceModes = ['enforce', 'monitor'] as const
export const overrideModes = ['inherit', ...governanceModes] as const
export const conditionOperators = [
  'eq',
  'ne',
  'gt',
  'lt',
  'gte',
  'lte',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'starts_with',
  'not_starts_with',
  'under',
  'not_under',
  'exists',
  'has',
  'has_not',
] as const

/** The bounds of the limit of a rule. */
export const mostUses = 1_000_000
export const mostWindowS = 86_400

/** A label of a tool or a session. */
export const labelPattern = /^[a-z][a-z0-9_]{0,31}$/

/** What a record says about the value at a path of the arguments. */
export const keptStates = ['value', 'absent', 'unreachable', 'not_kept'] as const
/**
 * Why the value of an argument is not kept. `redacted`: people may not see it. `too_long`: it is over a limit. `not_read`: conditions ask only
 * whether it exists. `several_tools`: the name of the tool can be read in several ways. `not_shown`: the edge shows no arguments.
 */
export const notKeptReasons = ['redacted', 'too_long', 'not_read', 'several_tools', 'not_shown'] as const

/** Says why a replay does not know the value of an argument. `not_recorded`: the record of the call does not have the argument. */
export const missingValueTexts: Readonly<Record<string, string>> = {
  not_recorded: 'the record does not have it',
  redacted: 'the edge redacted it',
  too_long: 'it is too long for a record',
  not_read: 'no rule read its value then',
  several_tools: 'the name of the tool could be read in several ways',
  not_shown: 'the edge shows no arguments',
}
