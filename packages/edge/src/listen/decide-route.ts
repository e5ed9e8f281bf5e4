import { objectAsSent, uuid } from '@mandate/contract/fields'
import { z } from 'zod'
import { type Decision, type Guard, mostReadings } from '../guard/guard.ts'
import { RequestRefused } from './caller.ts'

const toolName = z.string().min(1, 'must not be empty').max(1000, 'must be at most 1000 characters')

const DecideRequest = z.object({
  agent_id: uuid.optional(),
  tool: toolName,
  other_tools: z
    .array(toolName)
    .max(mostReadings - 1, `must be at most ${mostReadings - 1} names`)
    .optional(),
  args: objectAsSent,
  approval_id: uuid.optional(),
})

/** What is mediated for one agent through this route: the tools that were asked about. */
export class AskedTools {
  private readonly tools = new Set<string>()
  private readonly guard: Guard

  constructor(guard: Guard) {
    this.guard = guard
  }

  note(tool: string): void {
    if (this.tools.has(tool) || this.tools.size >= mostTools) return
    this.tools.add(tool)
    // The caller keeps to the answer, or does not: that everything passes here is nothing an edge can know.
    this.guard.attest({ mode: 'partial', tools: [...this.tools], mediationPoints: ['edge.decide'] })
  }
}

const mostTools = 1000

/** `POST /edge/v1/decide`. @throws RequestRefused 400, and 404 for another agent than the caller */
export async function decideRoute(
  body: unknown,
  agentId: string,
  guard: Guard,
  asked: AskedTools,
  signal: AbortSignal,
) {
  const { data, error } = DecideRequest.safeParse(body)
  if (!data) {
    const { path, message } = error.issues[0] as z.core.$ZodIssue
    throw new RequestRefused(400, `${path.join('.') || 'the body'} ${message}`)
  }
  if (data.agent_id !== undefined && data.agent_id !== agentId) throw new RequestRefused(404, 'agent not found')
  const { tool, other_tools: otherTools, args, approval_id: approvalId } = data
  const decision = await guard.decide({ tool, otherTools, args, approvalId, signal })
  asked.note(tool)
  return answerOf(decision)
}

function answerOf({ decisionId, verdict, enforced, rule, reason, policyVersion, approval }: Decision) {
  return {
    decision_id: decisionId,
    verdict,
    enforced,
    rule,
    reason,
    policy_version: policyVersion,
    ...(approval && {
      approval: { approval_id: approval.approvalId, expires_at: approval.expiresAt, status: approval.status },
    }),
  }
}
