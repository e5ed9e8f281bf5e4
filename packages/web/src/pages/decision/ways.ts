import { askedBy } from '../../words/condition-words.ts'
import { denialOf } from '../../words/denials.ts'
import { nextOf } from '../approvals/approval-state.ts'
import { remedyOf } from './remedies.ts'
import type { Approval, Decision, Rule } from './story.ts'

type Condition = Rule['match']['when'][number]

/** A condition of a rule with the value that the call had. */
export interface Ask {
  path: string
  /** What the condition asks of the value: "above 20000". */
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
export function waysToPass({ decision, approval, rules }: Known): Way[] {
  const { effect, mode, rule, policy, denied_because: reason } = decision
  if (effect === 'allow' || mode === 'monitor') return []
  if (reason === 'rejected' && approval) return [{ text: nextOf(approval), asks: [] }]
  const remedy = denialOf(decision) && remedyOf(reason as string)
  if (remedy !== undefined) return [{ text: remedy, asks: [] }]
  if (denialOf(decision)) return []
  const held = effect === 'require_approval' ? [{ text: heldText(approval), asks: [] }] : []
  const decided = rules?.find(({ id }) => id === rule?.id)
  if (decided) return [...held, ofRule(decided, decision, approval)]
  if (!rules || !policy || rule) return held
  const allowing = rules.filter((one) => one.enabled && one.effect === 'allow' && names(one, decision.tool))
  const first = allowing.length > 0 ? 'No rule matched these arguments.' : 'No rule names this tool.'
  return [
    ...held,
    { text: `${first} A rule of the policy must allow the call.`, asks: [] },
    ...allowing.slice(0, mostRules).map((one) => ({
      text: 'This rule allows the tool if all of this holds:',
      rule: { id: one.id, name: one.name },
      asks: asksOf(one, decision, approval),
    })),
  ]
}

function heldText(approval: Approval | undefined): string {
  if (approval?.status === 'pending' || approval === undefined) return 'A person must approve the call.'
  return nextOf(approval)
}

function ofRule(rule: Rule, decision: Decision, approval: Approval | undefined): Way {
  const asks = asksOf(rule, decision, approval)
  const named = { rule: { id: rule.id, name: rule.name }, asks }
  if (asks.length > 0)
    return {
      text: 'The rule decides a call only if all of this holds:',
      ...named,
      after: 'If one of it does not hold, the next rule that matches decides.',
    }
  return { text: 'The rule decides every call of this tool, whatever its arguments are.', ...named }
}

const asksOf = ({ match }: Rule, decision: Decision, approval: Approval | undefined): Ask[] =>
  match.when.map((condition) => ({
    path: condition.path,
    asks: askedBy(condition),
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

/** Whether a rule names a tool: by its name, or by the beginning of its name before a star. */
const names = ({ match }: Rule, tool: string) =>
  match.tools.some((pattern) => (pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool))
