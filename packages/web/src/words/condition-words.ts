import type { Schema } from '@mandate/sdk'

type Condition = Schema<'Condition'>

/** The words for the comparison of a condition. */
export const operatorWords: Record<Condition['op'], string> = {
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

/**
 * What a condition asks of its value, such as `above 20000` or `one of "eur", "usd"`. Texts are in quotes: a condition on the text "20000" does not
 * match the number 20000, and a text may contain a comma.
 */
export function askedBy({ op, value, absent }: Pick<Condition, 'op' | 'value' | 'absent'>): string {
  if (op === 'exists') return value === false ? 'does not exist' : 'exists'
  const values = [value].flat().map((one) => JSON.stringify(one))
  return `${operatorWords[op]} ${values.join(', ')}${absent === true ? ' or absent' : ''}`
}

/** A condition in words: `args.amount above 20000`. A path that could be read as words is in quotes. Show it with `Name`. */
export const conditionText = ({ path, ...asked }: Pick<Condition, 'path' | 'op' | 'value' | 'absent'>) =>
  `${/^[\p{L}\p{M}\p{N}_.$@/-]+$/u.test(path) ? path : JSON.stringify(path)} ${askedBy(asked)}`
