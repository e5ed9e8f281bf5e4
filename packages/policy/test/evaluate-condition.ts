import { compileCondition } from '../src/condition.ts'
import { factsOf } from '../src/path.ts'
import type { Call, Condition, Effect, Outcome } from '../src/types.ts'

/** The outcome of one condition of a rule of the given effect for one call. */
export function evaluateCondition(condition: Condition, call: Call, effect: Effect = 'deny'): Outcome {
  return compileCondition(condition, effect).test(factsOf(call))
}
