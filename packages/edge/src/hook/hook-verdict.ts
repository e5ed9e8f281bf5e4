import { z } from 'zod'
import { nameAmbiguity } from '../json/name-ambiguity.ts'

/** What a coding agent hands a hook on standard input before it uses a tool; further fields are of no concern. */
const HookInput = z.looseObject({
  tool_name: z.string().min(1),
  tool_input: z.record(z.string(), z.unknown()).default({}),
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

/**
 * The call that the input is about. Servers' tools are named `mcp__<server>__<tool>`; others belong to `namespace`.
 * @throws on an input that is no call, or that the agent could have meant differently
 */
export function callOf(input: string, namespace: string): { tool: string; args: Record<string, unknown> } {
  const { tool_name, tool_input } = HookInput.parse(JSON.parse(input))
  const ambiguity = nameAmbiguity(input)
  if (ambiguity) throw new Error(ambiguity)
  const served = /^mcp__(.+?)__(.+)$/s.exec(tool_name)
  const tool = served ? `mcp:${escaped(served[1])}/${escaped(served[2])}` : `fn:${namespace}/${escaped(tool_name)}`
  return { tool, args: tool_input }
}

/** Reads an edge's answer. @throws on anything that is no decision */
export function verdictOf(answer: unknown): HookVerdict {
  const { verdict, enforced, reason, rule, approval } = Decided.parse(answer)
  if (verdict === 'allow' || !enforced) return { passes: true }
  const by = rule ? ` (rule ${JSON.stringify(rule.name)})` : ''
  const retry = approval?.status === 'pending' ? ` It can be approved until ${approval.expires_at}.` : ''
  return { passes: false, reason: `Stopped by policy${by}: ${reason}.${retry}` }
}

// As the gateway writes a server's tool: a byte that a rule's segment may not hold becomes %XX.
function escaped(name = ''): string {
  const bytes = [...new TextEncoder().encode(name)].map((byte) => String.fromCharCode(byte))
  return bytes
    .map((one) =>
      /[A-Za-z0-9_.-]/.test(one) ? one : `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')
}
