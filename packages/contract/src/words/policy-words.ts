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
