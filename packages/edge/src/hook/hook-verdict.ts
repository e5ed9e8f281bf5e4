import { objectAsSent } from '@mandate/contract/fields'
import { z } from 'zod'
import { isCallerText, longestSessionId } from '../guard/caller-text.ts'
import type { JsonObject } from '../guard/guard.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import { readToolName } from './read-tool-name.ts'

/** The input that a coding agent gives its hook before it uses a tool. Other fields are ignored. */
const HookInput = z.looseObject({
  tool_name: z.string().min(1),
  tool_input: objectAsSent.default({}),
  session_id: z.unknown().optional(),
})

const Decided = z.object({
  verdict: z.enum(['allow', 'deny', 'require_approval']),
  enforced: z.boolean(),
  reason: z.string(),
  rule: z.object({ name: z.string() }).nullable(),
  approval: z.object({ approval_id: z.string(), expires_at: z.string(), status: z.string() }).optional(),
})

/** The output of the hook. If the call passes, the hook writes nothing. An output would override the permissions of the coding agent. */
export type HookVerdict = { passes: true } | { passes: false; reason: string }

/** The call that the edge decides. */
export interface AskedCall {
  tool: string
  /** Other possible names of the tool, if the name from the coding agent is ambiguous. */
  other_tools?: string[]
  args: JsonObject
  /** The session of the coding agent. */
  session_id?: string
}

/**
 * Reads the call from the input of a hook.
 * @throws if the input is not a call, or if parsers could read it in several ways
 */
export function callOf(input: string, namespace: string): AskedCall {
  const ambiguity = nameAmbiguity(input)
  if (ambiguity) throw new Error(ambiguity)
  const { tool_name, tool_input: args, session_id } = HookInput.parse(JSON.parse(input))
  const [tool, ...others] = readToolName(tool_name, namespace)
  // An invalid session id is left out, because the verdict must not depend on it.
  const session = isCallerText(session_id, longestSessionId) && { session_id }
  return { tool, ...(others.length > 0 && { other_tools: others }), args, ...session }
}

/** Reads the edge's answer. @throws if the answer is not a decision */
export function verdictOf(answer: unknown): HookVerdict {
  const { verdict, enforced, reason, rule, approval } = Decided.parse(answer)
  if (verdict === 'allow' || !enforced) return { passes: true }
  const by = rule ? ` (rule ${JSON.stringify(rule.name)})` : ''
  const retry = approval?.status === 'pending' ? ` It can be approved until ${approval.expires_at}.` : ''
  return { passes: false, reason: `Stopped by policy${by}: ${reason}.${retry}` }
}
