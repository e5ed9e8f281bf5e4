import { closesOnError } from '../compile-rule.ts'
import { compilePattern, isLiteral, overlaps, type Pattern } from '../pattern.ts'
import type { Condition, Effect, Rule } from '../types.ts'
import { coversAll, type PolicyWarning } from './find-dead-rules.ts'

type LiveRule = { rule: Rule; index: number; patterns: Pattern[] }

// Maximum number of pattern comparisons. For a very large policy, some warnings may therefore be missing.
const comparisonBudget = 200_000

/**
 * Warns about rules that stop calls only because an argument is absent: the tool of such a call may not have the argument, and another rule
 * or the default effect is less strict with the tool: it allows the tool, or asks for approval of what the rule denies. If a rule without
 * conditions stops all tools of such a rule, the default effect decides none of them. Rules for one tool get no warning, because their author
 * knows its arguments. The rules must be valid.
 */
export function findAbsentArguments(rules: readonly Rule[], defaultEffect?: Effect): PolicyWarning[] {
  const live = rules
    .map((rule, index) => ({ rule, index, patterns: rule.match.tools.map(compilePattern) }))
    .filter(({ rule }) => rule.enabled !== false)
  const permitting = live.filter(({ rule }) => rule.effect !== 'deny')
  const stopping = live.filter(({ rule }) => closesOnError(rule.effect) && (rule.match.when ?? []).length === 0)
  const budget = { left: comparisonBudget }
  return live.flatMap((one) => {
    const asked = conditionsOnArguments(one.rule)
    if (!closesOnError(one.rule.effect) || asked.length === 0 || isForOneTool(one.patterns)) return []
    const permitted = permitting.filter(({ rule }) => isLessStrict(rule.effect, one.rule.effect))
    const sentences = effectsInWords.flatMap(([effect, does]) => {
      const others = permitted.filter(({ rule }) => rule.effect === effect)
      const stopped = others.flatMap((other) => stoppedBy(one, other, asked, budget))
      return stopped.length > 0 ? [`Other rules ${does} ${named(stopped)}`] : []
    })
    if (sentences.length > 0) return [warning(one, asked, sentences.join('. '))]
    if (defaultEffect === undefined || !isLessStrict(defaultEffect, one.rule.effect)) return []
    const isDefault = !stopping.some((other) => coversAll(other, one, budget))
    const does = defaultEffect === 'allow' ? 'allows' : 'asks for approval of'
    return isDefault && budget.left > 0 ? [warning(one, asked, `The default effect ${does} its tools`)] : []
  })
}

const effectsInWords = [
  ['allow', 'allow'],
  ['require_approval', 'ask for approval of'],
] as const

const isLessStrict = (effect: Effect, than: Effect) =>
  effect === 'allow' || (effect === 'require_approval' && than === 'deny')

interface Asked {
  path: string
  place: number
}

/** The paths of arguments whose absence a rule does not define, each once. */
function conditionsOnArguments({ match }: Rule): Asked[] {
  const paths = new Map<string, number>()
  for (const [place, condition] of (match.when ?? []).entries())
    if (isUndecidedIfAbsent(condition) && !paths.has(condition.path)) paths.set(condition.path, place)
  return [...paths].map(([path, place]) => ({ path, place }))
}

const isUndecidedIfAbsent = ({ path, op, absent }: Condition) =>
  path.startsWith('args.') && op !== 'exists' && absent === undefined

function isForOneTool(patterns: readonly Pattern[]): boolean {
  const [only, ...others] = patterns
  return (
    others.length === 0 && only !== undefined && !only.any && isLiteral(only.namespace) && isLiteral(only.operation)
  )
}

/** The tools that `other` permits and that `one` stops if an argument is absent that `other` does not require. */
function stoppedBy(one: LiveRule, other: LiveRule, asked: readonly Asked[], budget: { left: number }): string[] {
  if (one.rule.effect !== 'deny' && one.rule.priority > other.rule.priority) return []
  const required = new Set((other.rule.match.when ?? []).filter(requiresValue).map(({ path }) => path))
  if (asked.every(({ path }) => required.has(path))) return []
  return other.patterns.flatMap((pattern, at) => {
    const isStopped = one.patterns.some((stopping) => budget.left-- > 0 && overlaps(stopping, pattern))
    return isStopped ? [`${other.rule.match.tools[at]} (rules[${other.index}])`] : []
  })
}

const requiresValue = ({ op, value, absent }: Condition) => absent !== true && (op !== 'exists' || value === true)

const mostNamed = 3

function named(stopped: readonly string[]): string {
  const more = stopped.length > mostNamed ? ` and ${stopped.length - mostNamed} more` : ''
  return stopped.slice(0, mostNamed).join(', ') + more
}

/** @param otherwise what would happen to the calls without the rule */
function warning({ rule, index }: LiveRule, asked: readonly Asked[], otherwise: string): PolicyWarning {
  const paths = asked.map(({ path }) => path).join(' or ')
  const does = rule.effect === 'deny' ? 'denies' : 'asks for approval of'
  const path = `rules[${index}].match.when[${asked[0]?.place}]`
  const message =
    `the rule ${does} every call without ${paths}, because it cannot decide the condition. ` +
    `${otherwise}. If one of these tools does not have the argument, ` +
    'add absent: false to the condition; add absent: true to stop these calls on purpose'
  return rule.id === undefined ? { path, message } : { rule_id: rule.id, path, message }
}
