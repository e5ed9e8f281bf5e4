import { type CompiledRule, closesOnError } from './compile-rule.ts'
import type { CompiledCondition } from './condition.ts'
import { isDeclaredPath } from './declared-arguments.ts'
import { type CompiledPolicy, imitationIn } from './evaluate.ts'
import { type Facts, factsOf } from './path.ts'
import type { Outcomes } from './prefix-outcomes.ts'
import { firstMatch } from './rule-index.ts'
import { type Call, newSession } from './types.ts'

/**
 * Returns false if every call of the tool is denied. Returns true if a call may pass. This is not certain, because the
 * arguments and the session of the call are unknown. The call has a session. If `declaredArgs` is given, the tool declares no other arguments.
 * @param uriPrefix if set, the result is only about calls whose only argument is a `uri` that starts with this prefix
 */
export function mayPass(policy: CompiledPolicy, call: Omit<Call, 'args' | 'session'>, uriPrefix?: string): boolean {
  if (imitationIn(policy, call.tool) !== null) return false
  const facts = factsOf({ ...call, args: { uri: uriPrefix }, session: newSession })
  const { declaredArgs } = call
  if (uriPrefix !== undefined || !declaredArgs)
    return mayPassWith(policy, call.tool, (condition) => possibleOutcomes(condition, facts, uriPrefix))
  // A call has only declared arguments, or it has others too. Then no condition on arguments can be decided.
  const ofDeclared = (condition: CompiledCondition) => outcomesOfDeclared(condition, facts, declaredArgs)
  const ofOthers = (condition: CompiledCondition) =>
    condition.source === 'args' ? undecidable : possibleOutcomes(condition, facts, undefined)
  return mayPassWith(policy, call.tool, ofDeclared) || mayPassWith(policy, call.tool, ofOthers)
}

function mayPassWith(policy: CompiledPolicy, tool: string, outcomesOf: OutcomesOf): boolean {
  const answer = firstMatch(policy.index, tool, (rule) => {
    if (rule.effect === 'deny') return surelyMatches(rule, outcomesOf) ? 'denied' : null
    return couldMatch(rule, outcomesOf) ? 'passes' : null
  })
  return answer === null ? policy.default_effect !== 'deny' : answer === 'passes'
}

const anything: Outcomes = [true, false, 'error']
const undecidable: Outcomes = ['error']

/** What a condition can evaluate to for calls that have only declared arguments: the others are absent. */
function outcomesOfDeclared(condition: CompiledCondition, facts: Facts, declared: ReadonlySet<string>): Outcomes {
  const isAbsent = condition.source === 'args' && !isDeclaredPath(condition.path, declared)
  return isAbsent ? [condition.test({ ...facts, args: {} })] : possibleOutcomes(condition, facts, undefined)
}

function possibleOutcomes(condition: CompiledCondition, facts: Facts, uriPrefix: string | undefined): Outcomes {
  // The session can change between the listing and a call.
  if (condition.source === 'session') return condition.test(facts) === 'error' ? ['error'] : [true, false]
  if (condition.source === 'args' && uriPrefix === undefined) return anything
  if (condition.source === 'args' && condition.path === 'args.uri') return condition.prefixOutcomes(uriPrefix as string)
  return [condition.test(facts)]
}

type OutcomesOf = (condition: CompiledCondition) => Outcomes

/**
 * Whether a rule matches every call, whatever the unknown arguments are. A `deny` or `require_approval` rule also matches a
 * call that causes an error in one of its conditions.
 */
function surelyMatches({ effect, conditions }: CompiledRule, outcomesOf: OutcomesOf): boolean {
  const closes = closesOnError(effect)
  const all = conditions.map(outcomesOf)
  if (closes && all.some((outcomes) => outcomes.every((outcome) => outcome === 'error'))) return true
  return all.every((outcomes) => outcomes.every((outcome) => outcome === true || (closes && outcome === 'error')))
}

function couldMatch({ effect, conditions }: CompiledRule, outcomesOf: OutcomesOf): boolean {
  const all = conditions.map(outcomesOf)
  if (closesOnError(effect) && all.some((outcomes) => outcomes.includes('error'))) return true
  return all.every((outcomes) => outcomes.includes(true))
}

/** Characters that a URI cannot contain (RFC 3986). When a template is expanded, they are percent-encoded. */
const notLiteral = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/

/** Returns the text with which every URI of a URI template (RFC 6570) starts. The template may be malformed. */
export function templatePrefix(template: string): string {
  const end = template.search(notLiteral)
  return end < 0 ? template : template.slice(0, end)
}
