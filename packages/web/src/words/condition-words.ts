import type { Schema } from '@mandate/sdk'

type Condition = Schema<'Condition'>

const operators: Record<Condition['op'], string> = {
  eq: 'is',
  ne: 'is not',
  gt: 'above',
  lt: 'below',
  gte: 'at least',
  lte: 'at most',
  in: 'one of',
  not_in: 'none of',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  not_starts_with: 'does not start with',
  under: 'under',
  not_under: 'not under',
  exists: 'exists',
  has: 'has the label',
  has_not: 'does not have the label',
}

/** What a condition asks of its value: "above 20000", "one of eur, usd". */
export function askedBy({ op, value, absent }: Pick<Condition, 'op' | 'value' | 'absent'>): string {
  if (op === 'exists') return value === false ? 'does not exist' : 'exists'
  return `${operators[op]} ${[value].flat().map(String).join(', ')}${absent === true ? ' or absent' : ''}`
}
