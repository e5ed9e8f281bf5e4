import { type CompiledRule, closesOnError } from './compile-rule.ts'
import { type CompiledPolicy, imitationIn } from './evaluate.ts'
import { type Facts, factsOf } from './path.ts'
import { firstMatch } from './rule-index.ts'
import type { Effect } from './types.ts'

/**
 * The decision about a tool when only the tool's name is known. `effect` is null if the decision depends on other parts of the call.
 * `undecidable` then contains the paths of the conditions on these parts. `rule_id` is null if the default effect decides, or if it is not
 * certain which of several rules with the same effect decides.
 */
export type ToolVerdict =
  | { effect: Effect; rule_id: string | null; undecidable: [] }
  | { effect: null; rule_id: null; undecidable: string[] }

/** Decides by the tool's name only. Returns an effect only if every call of the tool would get this effect. */
export function evaluateTool(policy: CompiledPolicy, tool: string): ToolVerdict {
  if (imitationIn(policy, tool) !== null) return { effect: 'deny', rule_id: null, undecidable: [] }
  const facts = factsOf({ tool, args: undefined, agent: undefined, environment: undefined })
  const open: CompiledRule[] = []
  const certain = firstMatch(policy.index, tool, (rule) => {
    const outcome = matchByTool(rule, facts)
    if (outcome === 'unknown') open.push(rule)
    return outcome === true ? rule : null
  })
  const effect = certain?.effect ?? policy.default_effect
  const deciding = open.filter((rule) => rule.effect !== effect)
  if (deciding.length > 0) {
    const paths = deciding.flatMap(({ conditions }) => conditions.filter(isUnknown).map(({ path }) => path))
    return { effect: null, rule_id: null, undecidable: [...new Set(paths)] }
  }
  return { effect, rule_id: open.length === 0 ? (certain?.id ?? null) : null, undecidable: [] }
}

const isUnknown = ({ root }: CompiledRule['conditions'][number]) => root !== null && root !== 'tool'

/**
 * Like `matchConditions`, but only the tool's name is known. Conditions on other parts of the call are not tested. Such a
 * condition may result in an error for a real call, and an error makes a `deny` or `require_approval` rule match. So these
 * rules may match even if a tested condition is false.
 */
function matchByTool({ effect, conditions }: CompiledRule, facts: Facts): boolean | 'unknown' {
  const closes = closesOnError(effect)
  let allHold = true
  for (const condition of conditions) {
    if (isUnknown(condition)) continue
    const outcome = condition.test(facts)
    if (outcome === 'error') return closes
    if (outcome) continue
    if (!closes) return false
    allHold = false
  }
  return conditions.some(isUnknown) ? 'unknown' : allHold
}
