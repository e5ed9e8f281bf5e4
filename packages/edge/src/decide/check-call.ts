import { undeclaredArgument } from '@mandate/policy/declared-arguments'
import { evaluate, type Verdict } from '@mandate/policy/evaluate'
import { contentHash } from '@mandate/proofs/canonical'
import { mayNotActReason, type Standing } from '../carry/agent-standing.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { Decision, HeldApproval, JsonObject, ToolCall } from '../guard/guard.ts'
import type { HeldCall } from './held-calls.ts'
import { isToolName } from './tool-name.ts'

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
  profile: ActiveProfile | null
  /** The call that needs approval. Null if the call needs no approval. */
  held: HeldCall | null
  approval?: HeldApproval
}

type Declared = ReadonlySet<string> | null

/**
 * Decides a call by the current profile. The tool name and the arguments may be read in several ways. The policy is evaluated
 * for each reading, and the strictest verdict counts. If several verdicts are equally strict, the first of them counts. For an
 * alternative reading of the arguments, only a matching rule counts, not the default effect. Records and approvals contain the
 * arguments as sent.
 * `declared` lists the arguments that the tool declares. It is null if the tool's schema is unknown.
 */
export function checkCall(call: ToolCall, standing: Standing, declared: Declared): Outcome {
  const { tool, otherTools = [], args, otherArgs = [] } = call
  const tools = [tool, ...otherTools]
  const outcomes = tools.flatMap((one) => {
    const sent = { tool: one, tools, args, digest: digestOf(one, args) }
    const others = otherArgs.map((reading) => checkReading(sent, reading, standing, declared))
    return [checkReading(sent, args, standing, declared), ...others.filter(({ rule }) => rule !== null)]
  })
  return outcomes.reduce(stricter)
}

const strictness = { allow: 0, require_approval: 1, deny: 2 }

function stricter(one: Outcome, other: Outcome): Outcome {
  return strictness[other.effect] > strictness[one.effect] ? other : one
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
  { profile, closed }: Standing,
  declared: Declared,
): Outcome {
  const denied = (reason: string, mode: Outcome['mode']): Outcome => {
    return { tool, digest, effect: 'deny', mode, rule: null, reason, profile, held: null }
  }
  if (closed !== null) return denied(closed, 'enforce')
  const { mode, agent, environment } = profile
  if (!isToolName(tool)) return denied('the name of the tool is not valid, so no rule can match it', mode)
  if (digest === null) return denied('the arguments of the call cannot be written as canonical JSON (RFC 8785)', mode)
  const verdict = evaluate(profile.policy, { tool, args: reading, agent, environment, declaredArgs: declared })
  const { effect } = verdict
  const rule = ruleOf(verdict, profile)
  const reason = reasonOf(verdict, rule, profile, undeclaredArgument(reading, declared)) + othersOf(tool, tools)
  const asksPeople = effect === 'require_approval' && mode === 'enforce'
  const held = asksPeople ? { profile, tool, args, digest, rule, reason } : null
  return { tool, digest, effect, mode, rule, reason, profile, held }
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
  { reason, undecided }: Verdict,
  rule: Decision['rule'],
  profile: ActiveProfile,
  undeclared: string | null,
): string {
  if (profile.policyId === null) return mayNotActReason(profile)
  const said = reason || `rule ${JSON.stringify(rule?.name ?? '')}`
  if (undecided?.startsWith('args.') && undeclared !== null) {
    const name = JSON.stringify(undeclared.slice(0, 100))
    return `${said} (the tool is not known to declare the argument ${name}, so the rule applies)`
  }
  return undecided === null ? said : `${said} (its condition on ${undecided} cannot be decided, so it applies)`
}

function othersOf(tool: string, tools: readonly string[]): string {
  const others = tools.filter((one) => one !== tool)
  return others.length === 0 ? '' : ` (decided as ${tool}; its name could also mean ${others.join(', ')})`
}
