import type { BuiltinPattern } from './builtin.ts'
import { financials } from './financial.ts'
import { injections } from './injection.ts'
import { personals } from './personal.ts'
import { secrets } from './secrets.ts'

/** All patterns of the product, by group. */
export const builtinPatterns: readonly BuiltinPattern[] = [...secrets, ...financials, ...personals, ...injections]

export const builtinGroups: readonly string[] = [...new Set(builtinPatterns.map(({ group }) => group))]

const byId = new Map(builtinPatterns.map((pattern) => [pattern.id, pattern]))

export function builtinPattern(id: string): BuiltinPattern | undefined {
  return byId.get(id)
}
