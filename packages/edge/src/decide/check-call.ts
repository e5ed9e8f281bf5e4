import type { ContentMatch } from '@mandate/content/judge'
import type { DenialReason } from '@mandate/contract/words/denial-words'
import { undeclaredArgument } from '@mandate/policy/declared-arguments'
import { evaluate, imitationIn, type Verdict } from '@mandate/policy/evaluate'
import { stricter } from '@mandate/policy/strictness'
import { invalidToolName, isToolName } from '@mandate/policy/tool-name'
import { contentHash } from '@mandate/proofs/canonical'
import { mayNotActReason, mayNotActWord, type Standing } from '../carry/agent-standing.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { Decision, HeldApproval, JsonObject, ToolCall } from '../guard/guard.ts'
import type { CallContext } from './call-context.ts'
import type { HeldCall } from './held-calls.ts'

/** The decision on a call, before it is recorded. */
export interface Outcome {
  /** The tool name that the decision is based on. */
  tool: string
  /** SHA-256 over the RFC 8785 form of {tool, args}. Null if they have no canonical form. */
  digest: string | null
  effect: Decision['verdict']
  mode: 'enforce' | 'monitor'
  rule: Decision['rule']
  reason: string
  /** Why the call is denied, as a word. Null unless the effect is `deny`. */
  deniedBecause: DenialReason | null
  /** Null if the edge denies every call of the agent. */
  profile: ActiveProfile | null
  /** The call that needs approval. Null if the call needs no approval. */
  held: HeldCall | null
  approval?: HeldApproval
  /** Gives the approval back if the call is not sent. Absent unless a person approved the call. */
  giveBack?: () => void
  /** The content patterns that matched in the arguments. */
  content?: ContentMatch[]
  /** The ids of rules with limits that allow the call. Empty unless rules of the policy allow it. */
  usedRules: readonly string[]
}

type Declared = ReadonlySet<string> | null

/**
 * Decides a call by the current profile. The tool name and the arguments may be read in several ways. The policy is evaluated
 * for each reading, and the strictest verdict counts. If several verdicts are equally strict, the first of them counts. For an
 * alternative reading of the arguments, only a matching rule counts, not the default effect. Records and approvals contain the
 * arguments as sent.
 * `declared` lists the arguments that the tool declares. It is null if the tool's schema is unknown.
 */
export function checkCall(call: ToolCall, standing: Standing, declared: Declared, context: CallContext): Outcome {
  const { tool, otherTools = [], args, otherArgs = [] } = call
  const tools = [tool, ...otherTools]
  const outcomes = tools.flatMap((one) => {
    const sent = { tool: one, tools, args, digest: digestOf(one, args) }
    const others = otherArgs.map((reading) => checkReading(sent, reading, standing, { declared, context }))
    return [checkReading(sent, args, standing, { declared, context }), ...others.filter(({ rule }) => rule !== null)]
  })
  const decided = outcomes.reduce((one, other) => stricter(one, other))
  // Each reading that a rule allows uses the rule, because the tool's server chooses the reading.
  const usedRules = [...new Set(outcomes.flatMap((outcome) => outcome.usedRules))]
  return { ...decided, usedRules: decided.effect === 'allow' ? usedRules : [] }
}

/**
 * A call with one of its possible tool names. `tools` contains all possible names. `digest` is the digest of `tool` and `args`.
 * It is null if they have no canonical JSON.
 */
interface SentCall {
  tool: string
  tools: readonly string[]
  args: JsonObject
  digest: string | null
}

function checkReading(
  { tool, tools, args, digest }: SentCall,
  reading: JsonObject,
  standing: Standing,
  { declared, context }: { declared: Declared; context: CallContext },
): Outcome {
  const denied = (reason: string, deniedBecause: DenialReason, mode: Outcome['mode']): Outcome => {
    const { profile } = standing
    const refused = { effect: 'deny', rule: null, reason, deniedBecause, held: null, usedRules: [] } as const
    return { tool, digest, mode, profile, ...refused }
  }
  // The record names no policy, because no policy decided the call.
  if (standing.closed !== null) return { ...denied(standing.closed, standing.because, 'enforce'), profile: null }
  const { profile } = standing
  const { mode, agent, environment } = profile
  if (!isToolName(tool)) return denied(invalidToolName, 'invalid_tool_name', mode)
  if (profile.content !== null && profile.content.fault !== null)
    return denied(profile.content.fault, 'content_rules_unknown', mode)
  if (digest === null) {
    const reason = 'the arguments of the call cannot be written as canonical JSON (RFC 8785)'
    return denied(reason, 'invalid_arguments', mode)
  }
  const { session, uses } = context
  const inventory = context.inventoryOf(tool)
  const facts = { tool, args: reading, agent, environment, session, inventory, declaredArgs: declared, uses }
  const verdict = evaluate(profile.policy, facts)
  const { effect } = verdict
  const rule = ruleOf(verdict, profile)
  const undeclared = undeclaredArgument(reading, declared)
  const argument = undeclared === null ? null : describeArgument(undeclared, context)
  const reason = reasonOf(verdict, rule, profile, argument) + othersOf(tool, tools)
  const asksPeople = effect === 'require_approval' && mode === 'enforce'
  const held = asksPeople ? { profile, tool, args, digest, rule, reason } : null
  const deniedBecause = effect === 'deny' ? denialOf(verdict, profile, tool) : null
  const isLimited = effect === 'allow' && rule !== null && profile.policy.limits.has(rule.id)
  const usedRules = isLimited ? [rule.id] : []
  return { tool, digest, effect, mode, rule, reason, deniedBecause, profile, held, usedRules }
}

function denialOf({ rule_id, over_limit: over }: Verdict, profile: ActiveProfile, tool: string): DenialReason {
  if (profile.policyId === null) return mayNotActWord(profile)
  if (rule_id !== null) return 'rule'
  if (over !== null) return over.uses === null ? 'limit_unknown' : 'limit_used_up'
  return imitationIn(profile.policy, tool) === null ? 'default_effect' : 'misleading_tool_name'
}

/** Returns null if the call has no canonical form. Such a call cannot be bound to an approval or identified in records. */
function digestOf(tool: string, args: JsonObject): string | null {
  try {
    return contentHash({ args, tool })
  } catch {
    return null
  }
}

function ruleOf({ rule_id }: Verdict, { ruleNames }: ActiveProfile): Decision['rule'] {
  return rule_id === null ? null : { id: rule_id, name: ruleNames.get(rule_id) ?? '' }
}

function reasonOf(
  { effect, reason, undecided, over_limit: over }: Verdict,
  rule: Decision['rule'],
  profile: ActiveProfile,
  undeclared: string | null,
): string {
  if (profile.policyId === null) return mayNotActReason(profile)
  const named = reason || `rule ${JSON.stringify(rule?.name ?? '')}`
  // The reason of the default effect names the limit already.
  const said = over !== null && rule !== null && effect !== 'allow' ? `${named} (${over.reason})` : named
  if (undecided?.startsWith('args.') && undeclared !== null) {
    return `${said} (the tool is not known to declare ${undeclared}, so the rule applies)`
  }
  return undecided === null ? said : `${said} (its condition on ${undecided} cannot be decided, so it applies)`
}

/** Content rules may match the name of the argument. */
function describeArgument(name: string, { isMatched = false }: CallContext): string {
  return isMatched ? 'an argument of the call' : `the argument ${JSON.stringify(name.slice(0, 100))}`
}

function othersOf(tool: string, tools: readonly string[]): string {
  const others = tools.filter((one) => one !== tool)
  return others.length === 0 ? '' : ` (decided as ${tool}; its name could also mean ${others.join(', ')})`
}
