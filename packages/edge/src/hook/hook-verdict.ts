import { isRecord } from '@mandate/contract/fields/is-record'
import { isCallerText, longestSessionId } from '../guard/caller-text.ts'
import type { JsonObject } from '../guard/guard.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import { readToolName } from './read-tool-name.ts'

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
  const { tool_name, args, session_id } = readInput(JSON.parse(input))
  const [tool, ...others] = readToolName(tool_name, namespace)
  // An invalid session id is left out, because the verdict must not depend on it.
  const session = isCallerText(session_id, longestSessionId) && { session_id }
  return { tool, ...(others.length > 0 && { other_tools: others }), args, ...session }
}

// The checks of the input and of the answer use no schema library, because the hook runs before each call and must start fast.

/** Reads the input that a coding agent gives its hook before it uses a tool. Other fields are ignored. */
function readInput(input: unknown): { tool_name: string; args: JsonObject; session_id: unknown } {
  if (!isRecord(input)) throw new Error("The hook's input must be a JSON object")
  const { tool_name, tool_input: args = {}, session_id } = input
  if (typeof tool_name !== 'string' || tool_name === '') throw new Error("The hook's input must have a tool_name")
  if (!isRecord(args)) throw new Error('The tool_input of the hook must be a JSON object')
  return { tool_name, args, session_id }
}

interface Decided {
  verdict: 'allow' | 'deny' | 'require_approval'
  enforced: boolean
  reason: string
  rule: { name: string } | null
  approval?: { approval_id: string; expires_at: string; status: string }
  page?: string
}

function isDecided(answer: unknown): answer is Decided {
  if (!isRecord(answer)) return false
  const { verdict, enforced, reason, rule, approval, page } = answer
  return (
    ['allow', 'deny', 'require_approval'].includes(verdict as string) &&
    typeof enforced === 'boolean' &&
    typeof reason === 'string' &&
    (page === undefined || typeof page === 'string') &&
    (rule === null || (isRecord(rule) && typeof rule.name === 'string')) &&
    (approval === undefined || (isRecord(approval) && hasTexts(approval, ['approval_id', 'expires_at', 'status'])))
  )
}

const hasTexts = (record: Record<string, unknown>, names: string[]) =>
  names.every((name) => typeof record[name] === 'string')

/** Reads the edge's answer. @throws if the answer is not a decision */
export function verdictOf(answer: unknown): HookVerdict {
  if (!isDecided(answer)) throw new Error("The edge's answer is not a decision")
  const { verdict, enforced, reason, rule, approval, page } = answer
  if (verdict === 'allow' || !enforced) return { passes: true }
  const by = rule ? ` (rule ${JSON.stringify(rule.name)})` : ''
  const retry = approval?.status === 'pending' ? ` It can be approved until ${approval.expires_at}.` : ''
  return {
    passes: false,
    // People write the reasons of rules with or without a period.
    reason: `Stopped by policy${by}: ${reason.replace(/\.$/, '')}.${retry}${page === undefined ? '' : ` See ${page}`}`,
  }
}
