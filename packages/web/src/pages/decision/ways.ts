import { conditionText } from '../../words/condition-words.ts'
import { denialOf } from '../../words/denials.ts'
import { nextOf } from '../approvals/approval-state.ts'
import { remedyOf } from './remedies.ts'
import type { Approval, Decision, Rule } from './story.ts'

type Condition = Rule['match']['when'][number]

/** A condition of a rule with the value that the call had. */
export interface Ask {
  /** What the condition asks: `args.amount above 20000`. */
  asks: string
  /** The value as JSON, or that the call does not have it. Undefined if it is not known. */
  was: string | undefined
}

/** What lets a call pass that was denied or held. */
export interface Way {
  /** What has to happen, as sentences. */
  text: string
  /** The rule whose conditions follow. */
  rule?: { id: string; name: string }
  asks: readonly Ask[]
  /** What follows from the conditions. */
  after?: string
}

interface Known {
  decision: Decision
  approval?: Approval | undefined
  /** The rules of the policy version that decided. Undefined if the reader cannot read it. */
  rules: readonly Rule[] | undefined
}

const mostRules = 3

/** Says what would have to differ for a call to pass. Empty for a call that passed. */
export function waysToPass(known: Known): Way[] {
  const { decision, approval, rules } = known
  const { effect, mode, rule, policy, denied_because: reason } = decision
  if (effect === 'allow' || mode === 'monitor') return []
  if (reason === 'rejected' && approval) return [{ text: nextOf(approval), asks: [] }]
  if (denialOf(decision)) {
    const text = remedyOf(reason as string)
    return text === undefined ? [] : [{ text, asks: [] }]
  }
  const held = effect === 'require_approval' ? [{ text: heldText(approval), asks: [] }] : []
  if (!rules || !policy) return held
  const decided = rules.find(({ id }) => id === rule?.id)
  if (decided) return [...held, ...ofRule(decided, known, rules)]
  return rule ? held : [...held, ...withoutRule(known, rules)]
}

/** Whether a change of the policy would let the call pass. */
export const asksPolicy = ({ denied_because: reason }: Decision, ways: readonly Way[]): boolean =>
  ways.some(({ rule }) => rule !== undefined) ||
  (ways.length > 0 && [null, 'default_effect', 'limit_used_up', 'limit_unknown', 'content'].includes(reason))

function heldText(approval: Approval | undefined): string {
  if (approval?.status === 'pending' || approval === undefined) return 'A person must approve the call.'
  return nextOf(approval)
}

// A rule that stops calls also matches if a condition cannot be decided.
const closes =
  'Or a condition cannot be decided: its argument is missing, has another type, or the tool does not declare an argument of the call.'

function ofRule(rule: Rule, known: Known, rules: readonly Rule[]): Way[] {
  const asks = asksOf(rule, known)
  const named = { rule: { id: rule.id, name: rule.name }, asks }
  if (asks.length > 0) {
    const after = `${closes} Otherwise the next rule that matches decides, or what the policy does with all other calls.`
    return [{ text: 'The rule decides a call if all of this holds:', ...named, after }]
  }
  if (rule.effect === 'deny') {
    return [{ text: 'The rule denies every call of this tool, whatever its arguments are.', ...named }]
  }
  const text = 'The rule has no conditions. It decides each call of this tool that no rule before it decides.'
  const before = rules.filter(({ priority }) => priority < rule.priority)
  return [{ text, ...named }, ...allowing(before, known)]
}

/** For a call that no rule decided: the default effect did, or content rules. */
function withoutRule(known: Known, rules: readonly Rule[]): Way[] {
  const { tool, content } = known.decision
  if (content?.length) {
    const text =
      'Content rules found something in the call. If they held it, the arguments must not contain what they found. If no rule matched, a rule of the policy must allow the call.'
    return [{ text, asks: [] }]
  }
  const naming = rules.filter((rule) => rule.enabled && names(rule, tool))
  const first = naming.length > 0 ? 'No rule matched the call.' : 'No rule names this tool.'
  return [{ text: `${first} A rule of the policy must allow it.`, asks: [] }, ...allowing(rules, known)]
}

/** The rules that allow the tool under conditions. */
const allowing = (rules: readonly Rule[], known: Known): Way[] =>
  rules
    .filter(({ enabled, effect, match }) => enabled && effect === 'allow' && match.when.length > 0)
    .filter((rule) => names(rule, known.decision.tool))
    .slice(0, mostRules)
    .map((rule) => ({
      text: 'This rule allows a call of the tool if all of this holds:',
      rule: { id: rule.id, name: rule.name },
      asks: asksOf(rule, known),
      after: `It does not match a call with an argument that the tool does not declare${rule.limit ? ', or after its limit is used up' : ''}.`,
    }))

const asksOf = ({ match }: Rule, { decision, approval }: Known): Ask[] =>
  match.when.map((condition) => ({
    asks: conditionText(condition),
    was: shownValue(condition, decision, approval),
  }))

/** The value at the path of a condition, from what the approval shows or from what the edge kept for replay. */
function shownValue(
  { path }: Condition,
  { kept_arguments: kept, labels }: Decision,
  approval: Approval | undefined,
): string | undefined {
  if (path === 'session.labels' && labels !== null) return labels.length > 0 ? labels.join(', ') : 'none'
  const one = kept?.find((argument) => argument.path === path)
  if (one?.state === 'value') return JSON.stringify(one.value)
  if (one?.state === 'absent') return 'absent'
  const [root, ...keys] = path.split('.')
  if (root !== 'args' || !approval?.arguments || approval.arguments_exact !== true) return undefined
  let value: unknown = approval.arguments
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    if (!Object.hasOwn(value, key)) return Array.isArray(value) ? undefined : 'absent'
    value = (value as Record<string, unknown>)[key]
  }
  return JSON.stringify(value)
}

/** Whether a rule names a tool. A star stands for any text in a part of the name. */
const names = ({ match }: Rule, tool: string) =>
  match.tools.some((pattern) => pattern === '*' || patternOf(pattern).test(tool))

const patternOf = (pattern: string) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
