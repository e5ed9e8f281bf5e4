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
] as const
