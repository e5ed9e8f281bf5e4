import type { ContentVerdict } from '@mandate/content/judge'
import { strictness } from '@mandate/policy/strictness'
import { type Inspected, maskedArguments } from '../content/content-guard.ts'
import type { EnvironmentKey } from '../content/content-key.ts'
import { type ToolCall, toolWithName } from '../guard/guard.ts'
import type { Outcome } from './check-call.ts'

const noKey =
  'content rules match the arguments, and the edge cannot get the key of the environment for their digest; make the same call again later'

/**
 * Adds what content rules say about the arguments to the decision of the policy's rules. The stricter effect counts. If a pattern matched,
 * the digest of the arguments is made with the key of the environment, so that nobody can find the match by trying texts.
 */
export async function applyContent(
  checked: Outcome,
  call: ToolCall,
  inspected: Inspected,
  key: EnvironmentKey,
): Promise<Outcome> {
  const { verdict, maskedName } = inspected
  const { profile, mode } = checked
  if (profile === null || (verdict.matches.length === 0 && checked.held === null)) return checked
  const isMatched = verdict.matches.length > 0
  const digest = isMatched
    ? await key.digest({ tool: checked.tool, args: call.args }).catch(() => null)
    : checked.digest
  const content = [...verdict.matches]
  const tool = maskedName === undefined ? checked.tool : toolWithName(checked.tool, maskedName)
  if (digest === null) {
    const denied = { effect: 'deny', rule: null, reason: noKey, deniedBecause: 'content_key_missing' } as const
    return { ...checked, ...denied, tool, digest, content, held: null, usedRules: [] }
  }
  const isStricter = strictness[verdict.effect] > strictness[checked.effect]
  const stricter = isStricter ? decisionOf(verdict) : checked
  const decided = maskedName !== undefined && stricter.effect === 'require_approval' ? unshown : stricter
  const { effect, rule, reason, deniedBecause } = decided
  const context = isMatched ? { content } : {}
  const asksPeople = effect === 'require_approval' && mode === 'enforce'
  const args = maskedArguments(inspected, call.args)
  const held = asksPeople ? { profile, tool, args, digest, rule, reason, context } : null
  const usedRules = isStricter ? [] : checked.usedRules
  return { ...checked, tool, digest, content, effect, rule, reason, deniedBecause, held, usedRules }
}

/**
 * Puts the masked name of the tool into the decision on a call whose arguments are not inspected. Records no digest of the call: with it, the name
 * could be guessed.
 */
export function withMaskedName(checked: Outcome, maskedName: string | undefined): Outcome {
  if (maskedName === undefined) return checked
  return { ...checked, tool: toolWithName(checked.tool, maskedName), digest: null }
}

/** People decide by the name of the tool, and they may not see this one. */
const unshown = {
  effect: 'deny',
  rule: null,
  reason: 'content rules: the name of the tool matches, so people who could approve the call may not see it',
  deniedBecause: 'content',
} as const

function decisionOf({ effect, reason }: ContentVerdict): Pick<Outcome, 'effect' | 'rule' | 'reason' | 'deniedBecause'> {
  return { effect, rule: null, reason, deniedBecause: effect === 'deny' ? 'content' : null }
}
