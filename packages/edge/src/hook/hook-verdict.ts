import { objectAsSent } from '@mandate/contract/fields'
import { z } from 'zod'
import type { JsonObject } from '../guard/guard.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import { readToolName } from './read-tool-name.ts'

/** What a coding agent hands a hook on standard input before it uses a tool; further fields are of no concern. */
const HookInput = z.looseObject({
  tool_name: z.string().min(1),
  tool_input: objectAsSent.default({}),
})

const Decided = z.object({
  verdict: z.enum(['allow', 'deny', 'require_approval']),
  enforced: z.boolean(),
  reason: z.string(),
  rule: z.object({ name: z.string() }).nullable(),
  approval: z.object({ approval_id: z.string(), expires_at: z.string(), status: z.string() }).optional(),
})

/** What the hook answers: nothing where the call passes, so that the agent's own permissions go on to apply. */
export type HookVerdict = { passes: true } | { passes: false; reason: string }

/** What an edge is asked to decide. */
export interface AskedCall {
  tool: string
  /** What the tool's name may mean too. */
  other_tools?: string[]
  args: JsonObject
}

/**
 * The call that the input is about.
 * @throws on an input that is no call, or that the agent could have meant differently
 */
export function callOf(input: string, namespace: string): AskedCall {
  const ambiguity = nameAmbiguity(input)
  if (ambiguity) throw new Error(ambiguity)
  const { tool_name, tool_input: args } = HookInput.parse(JSON.parse(input))
  const [tool, ...others] = readToolName(tool_name, namespace)
  return { tool, ...(others.length > 0 && { other_tools: others }), args }
}

/** Reads an edge's answer. @throws on anything that is no decision */
export function verdictOf(answer: unknown): HookVerdict {
  const { verdict, enforced, reason, rule, approval } = Decided.parse(answer)
  if (verdict === 'allow' || !enforced) return { passes: true }
  const by = rule ? ` (rule ${JSON.stringify(rule.name)})` : ''
  const retry = approval?.status === 'pending' ? ` It can be approved until ${approval.expires_at}.` : ''
  return { passes: false, reason: `Stopped by policy${by}: ${reason}.${retry}` }
}
