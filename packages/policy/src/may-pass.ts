import { type CompiledRule, closesOnError, matchConditions } from './compile-rule.ts'
import { type CompiledPolicy, imitationIn } from './evaluate.ts'
import { type Facts, factsOf } from './path.ts'
import { firstMatch } from './rule-index.ts'
import type { Call } from './types.ts'

/**
 * Whether some arguments may keep a call of the tool from being denied. False is certain: every call is denied. True is
 * not: conditions on arguments are taken as if they could come out either way.
 */
export function mayPass(policy: CompiledPolicy, call: Omit<Call, 'args'>): boolean {
  if (imitationIn(policy, call.tool) !== null) return false
  const facts = factsOf({ ...call, args: {} })
  const answer = firstMatch(policy.index, call.tool, (rule) => {
    if (rule.effect === 'deny') return surelyMatches(rule, facts) ? 'denied' : null
    return couldMatch(rule, facts) ? 'passes' : null
  })
  return answer === null ? policy.default_effect !== 'deny' : answer === 'passes'
}

const ofArguments = ({ path }: { path: string }) => path.startsWith('args.')

function surelyMatches(rule: CompiledRule, facts: Facts): boolean {
  if (!rule.conditions.some(ofArguments)) return matchConditions(rule, facts) !== null
  // One condition in error is enough to make a closing rule match, whatever the arguments.
  return closesOnError(rule.effect) && rule.conditions.some((one) => !ofArguments(one) && one.test(facts) === 'error')
}

function couldMatch(rule: CompiledRule, facts: Facts): boolean {
  if (closesOnError(rule.effect) && rule.conditions.some(ofArguments)) return true
  const settled = rule.conditions.filter((one) => !ofArguments(one))
  return matchConditions({ ...rule, conditions: settled }, facts) !== null
}
