import { isDeepStrictEqual } from 'node:util'
import { asksArguments, asksSource, type CompiledPolicy, compilePolicy, evaluate } from '@mandate/policy/evaluate'
import { evaluateTool } from '@mandate/policy/evaluate-tool'
import { argumentsRead } from '@mandate/policy/known-arguments'
import { strictness } from '@mandate/policy/strictness'
import { isToolName } from '@mandate/policy/tool-name'
import type { Effect, RuleUses, Snapshot } from '@mandate/policy/types'
import { readingsOf, type StoredArguments, whyUnknown } from '../records/kept-arguments.ts'

/**
 * Maximum work of a replay or a simulation. The work of a call is its length as JSON times the number of conditions that test it. The maximum takes
 * about 100 ms.
 */
export const mostCharacterTests = 50_000_000

/** What the record of a decision says. */
export interface RecordedCall {
  tool: string
  effect: Effect
  mode: 'enforce' | 'monitor'
  /** Null if no rule decided. */
  ruleId: string | null
  approvalId: string | null
  /** What the recorded matches in the arguments required. */
  content: Effect
}

/** What conditions test besides the tool. `agent` and `environment` are as they are today. */
export interface CallFacts {
  agent: Record<string, unknown>
  environment: Record<string, unknown>
  /** Null if only their digest is known. */
  args: Record<string, unknown> | null
  /** The kept arguments. Their values are used only if `args` is null. */
  kept: StoredArguments | null
}

export interface Replayed {
  result: 'same' | 'differs' | 'undecidable'
  /** `ruleId` is null if the default effect decides, or if the arguments decide which rule it is. */
  replayed: { effect: Effect; ruleId: string | null } | null
  reason: string
}

export const undecidable = (reason: string): Replayed => ({ result: 'undecidable', replayed: null, reason })

/** The verdict of the policy version. `ruleId` is undefined if it is not certain which rule decides. */
interface Verdict {
  effect: Effect
  ruleId: string | null | undefined
}

/**
 * Decides a recorded call again by the version of the policy that decided it. Says `differs` only if the difference has no other cause: the
 * edge also denies calls without the policy, holds calls for people, and knows more about a call than its record has.
 */
export function decideAgain(snapshot: Snapshot, version: number, recorded: RecordedCall, facts: CallFacts): Replayed {
  const { kept, args } = facts
  const decide = (hasUndeclared: boolean) => decideWith(snapshot, version, recorded, facts, hasUndeclared)
  const decided = decide(kept?.undeclared ?? false)
  if (decided.result !== 'differs' || kept !== null || args === null) return decided
  // The edge knew whether the tool declares all arguments of the call. Its record does not say it.
  return isDeepStrictEqual(decide(true), decided)
    ? decided
    : undecidable(
        'the policy asks for arguments, and the record does not say whether the tool declares all that the call has',
      )
}

/** @param hasUndeclared whether one of the known arguments is not declared by the tool */
function decideWith(
  snapshot: Snapshot,
  version: number,
  recorded: RecordedCall,
  facts: CallFacts,
  hasUndeclared: boolean,
): Replayed {
  const byRules = verdictOf(snapshot, recorded, facts, hasUndeclared)
  if (typeof byRules === 'string') return undecidable(byRules)
  // The record says what content rules found. Their decision has no rule.
  const isStricter = strictness[recorded.content] > strictness[byRules.effect]
  const decided = isStricter ? { effect: recorded.content, ruleId: null } : byRules
  const { effect, ruleId = null } = decided
  const outcome = compare(snapshot, version, recorded, decided, facts)
  return { ...outcome, replayed: outcome.result === 'undecidable' ? null : { effect, ruleId } }
}

/** Returns the verdict, or the reason why the call cannot be decided. */
function verdictOf(
  snapshot: Snapshot,
  { tool, ruleId }: RecordedCall,
  { args, kept, agent, environment }: CallFacts,
  hasUndeclared: boolean,
): Verdict | string {
  if (!isToolName(tool)) return { effect: 'deny', ruleId: null }
  const policy = compilePolicy(snapshot)
  // The record does not say how often rules were used. If the recorded rule decided, the limits of the rules before it were used up.
  const uses: RuleUses = { get: (id) => (id === ruleId ? 0 : Number.POSITIVE_INFINITY) }
  // Labels and states of tools may have changed since the call.
  const isUnrecorded = asksSource(policy, tool, 'session') || asksSource(policy, tool, 'inventory')
  if (isUnrecorded || (args === null && asksArguments(policy, tool))) {
    const known = args === null && kept !== null ? kept : null
    if (known !== null && charactersOf(known) * countConditions(snapshot) > mostCharacterTests) return tooLarge
    const parts = known === null ? {} : { readings: readingsOf(known), caller: { agent, environment }, uses }
    const { effect, rule_id, undecidable: paths } = evaluateTool(policy, tool, undefined, parts)
    if (effect !== null) {
      const isDefault = known !== null && !isUnrecorded && isWhole(known, policy, tool)
      return { effect, ruleId: rule_id ?? (isDefault ? null : undefined) }
    }
    if (known !== null) return `the policy asks for ${paths.slice(0, 5).map(nameUnknown(known)).join(', ')}`
    if (isUnrecorded) return `the policy asks for ${paths.slice(0, 5).join(', ')}, which the record does not have`
    return `the policy asks for ${paths.slice(0, 5).join(', ')}, and the record has only the digest of the arguments`
  }
  const call = { tool, args: args ?? {}, agent, environment }
  const declaredArgs = hasUndeclared ? new Set<string>() : null
  const characters = charactersOf(call)
  let left = mostCharacterTests
  try {
    const { effect, rule_id } = evaluate(policy, { ...call, declaredArgs, uses }, ({ conditions }) => {
      left -= conditions.length * characters
      if (left < 0) throw new TooMuchWork()
    })
    return { effect, ruleId: rule_id }
  } catch (error) {
    if (error instanceof TooMuchWork) return tooLarge
    throw error
  }
}

const tooLarge = 'the call is too large for a policy of this size'
const charactersOf = (value: object) => JSON.stringify(value).length
export const countConditions = ({ rules }: Pick<Snapshot, 'rules'>) =>
  rules.reduce((sum, { match }) => sum + match.when.length, 0)

/** Whether the record has everything that the policy reads of the arguments. */
function isWhole({ readings }: StoredArguments, policy: CompiledPolicy, tool: string): boolean {
  return [...argumentsRead(policy, tool)].every(([path, use]) =>
    readings.every((reading) =>
      reading.some((one) => one.path === path && (use === 'existence' || one.state !== 'not_kept')),
    ),
  )
}

const unknownTexts: Readonly<Record<string, string>> = {
  not_recorded: 'which the record does not have',
  redacted: 'whose value the edge redacted',
  too_long: 'whose value is too long for a record',
  not_read: 'whose value no rule read when the call was decided',
  several_tools: 'and the name of the tool could be read in several ways',
  not_shown: 'and the edge shows no arguments',
}

/** Names a path and why its value is not known. A later edge may give reasons that are not listed. */
const nameUnknown = (kept: StoredArguments) => (path: string) => {
  const because = whyUnknown(kept, path)
  return `${path}, ${unknownTexts[because] ?? 'whose value the edge did not keep'}`
}

class TooMuchWork extends Error {}

type Outcome = Pick<Replayed, 'result' | 'reason'>

function compare(
  snapshot: Snapshot,
  version: number,
  recorded: RecordedCall,
  { effect, ruleId }: Verdict,
  facts: CallFacts,
): Outcome {
  const isSameRule = ruleId === undefined || ruleId === recorded.ruleId
  if (effect === recorded.effect && isSameRule) {
    return { result: 'same', reason: `version ${version} of the policy decides the call as recorded` }
  }
  const held = isSameRule && effect === 'require_approval' ? afterApproval(recorded) : null
  if (held) return held
  if (recorded.effect === 'deny' && recorded.ruleId === null) {
    return unknown(
      'the edge denied the call without a rule, as it does when it is closed, when the agent may not act, or when it cannot read the call',
    )
  }
  const doubt = doubtOf(snapshot, recorded, effect, facts)
  if (doubt) return unknown(doubt)
  const reason =
    effect === recorded.effect
      ? `version ${version} of the policy decides ${effect} by another rule than recorded`
      : `version ${version} of the policy decides ${effect}, and ${recorded.effect} was recorded`
  return { result: 'differs', reason }
}

const unknown = (reason: string): Outcome => ({ result: 'undecidable', reason })

/** An edge that enforces a policy asks people about a call that needs approval, and records what came of it. */
function afterApproval({ effect, mode, ruleId, approvalId }: RecordedCall): Outcome | null {
  if (mode !== 'enforce' || effect === 'require_approval') return null
  if (approvalId === null && ruleId === null) {
    return unknown('the policy asks for an approval, and the record does not say whether there was one')
  }
  const reason =
    effect === 'allow'
      ? 'the policy asks for an approval, and the call passed with it'
      : 'the policy asks for an approval, and the edge denied the call because it had none that it could use'
  return { result: 'same', reason }
}

/** Returns why a difference may have another cause than the policy. Null if it has none. */
function doubtOf(
  snapshot: Snapshot,
  { tool, effect, ruleId }: RecordedCall,
  replayed: Effect,
  { args }: CallFacts,
): string | null {
  const byTool = evaluateTool(compilePolicy(snapshot), tool)
  const rule = snapshot.rules.find(({ id }) => id === ruleId)
  // Every call of the tool gets this effect.
  if (byTool.effect !== null && byTool.effect !== effect) return null
  // Every call of the tool is decided by this rule, or the version does not have the recorded one.
  if (replayed === effect && (byTool.rule_id !== null || (ruleId !== null && !rule))) return null
  const asks = (root: string) => byTool.undecidable.find((path) => path.startsWith(root))
  const today = asks('agent.') ?? asks('environment.')
  if (today) return `the policy asks for ${today}, which may have changed since the call`
  if (replayed === effect) return 'the effect is the recorded one, and which rule decides depends on the call'
  // What the edge knows besides the arguments as sent can only make its decision stricter.
  const isStricter = strictness[effect] > strictness[replayed]
  if (args !== null && isStricter && rule?.match.when.some(({ path }) => path.startsWith('args.'))) {
    return 'the recorded rule asks for arguments, and the edge may have read them in another way or not have known one of them'
  }
  return null
}
