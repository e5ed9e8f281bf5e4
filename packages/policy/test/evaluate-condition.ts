import { compileCondition } from '../src/condition.ts'
import { factsOf } from '../src/path.ts'
import type { Call, Condition, Effect, Outcome } from '../src/types.ts'

/** Tests one condition for one call and returns the outcome. `effect` is the effect of the condition's rule. */
export function evaluateCondition(condition: Condition, call: Call, effect: Effect = 'deny'): Outcome {
  return compileCondition(condition, effect).test(factsOf(call))
}
