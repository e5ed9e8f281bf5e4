import { objectAsSent, uuid } from '@mandate/contract/fields/fields'
import { isToolName } from '@mandate/policy/tool-name'
import { longestToken } from '@mandate/proofs/delegation-token'
import { z } from 'zod'
import { sameDelegation } from '../delegations/same-delegation.ts'
import { isCallerText, longestOnBehalfOf, longestSessionId } from '../guard/caller-text.ts'
import { type Decision, type Guard, mostReadings } from '../guard/guard.ts'
import { isMcpTool } from '../inventory/refuse-tool.ts'
import { hasTwins } from '../mcp/mediation/calls-of.ts'
import type { JsonObject } from '../mcp/messages/json.ts'
import type { ApprovalNews } from '../push/approval-news.ts'
import { RequestRefused } from './caller.ts'

/** The name with which the SDK's guard identifies itself. That guard runs a function only if the edge's answer lets the call pass. */
const guardPoint = 'sdk.guard'
const askedPoint = 'edge.decide'
const toolName = z.string().min(1, 'must not be empty').max(1000, 'must be at most 1000 characters')

const callerText = (max: number) =>
  z.custom<string>((value) => isCallerText(value, max), {
    error: `must be a text of 1 to ${max} characters, without NUL and unpaired surrogates`,
  })

const DecideRequest = z.object({
  agent_id: uuid.optional(),
  tool: toolName,
  other_tools: z
    .array(toolName)
    .max(mostReadings - 1, `must be at most ${mostReadings - 1} names`)
    .optional(),
  args: objectAsSent,
  approval_id: uuid.optional(),
  session_id: callerText(longestSessionId).optional(),
  on_behalf_of: callerText(longestOnBehalfOf).optional(),
  /** The token of a delegation. */
  delegation: z.string().max(longestToken, `must be at most ${longestToken} characters`).optional(),
  wait_ms: z.int('must be a whole number').min(0, 'must be at least 0').max(60_000, 'must be at most 60000').optional(),
  /** True if the caller makes the call with the `args` of the answer. If false, a call is denied if its arguments must be redacted. */
  redacts: z.boolean('must be true or false').optional(),
  mediation_point: z.literal(guardPoint, { error: `must be ${guardPoint}` }).optional(),
})

/**
 * Collects the tools for which local programs ask for decisions on the calls of one agent. Reports these tools to the control
 * plane as controlled by the edge (attests them).
 */
export class AskedTools {
  private readonly tools = new Set<string>()
  private readonly points = new Set<string>()
  private readonly guard: Guard

  constructor(guard: Guard) {
    this.guard = guard
  }

  note(tool: string, point: string = askedPoint): void {
    // A tool with an invalid name is not attested, because the edge denies all its calls.
    const isNew = isToolName(tool) && !this.tools.has(tool) && this.tools.size < mostTools
    if (this.points.has(point) && !isNew) return
    this.points.add(point)
    if (isNew) this.tools.add(tool)
    // The SDK's guard always obeys the edge. While only such guards ask for decisions, the tools are attested as fully
    // controlled (`full`). Other programs may ignore a decision. After the first request of such a program, the mode is
    // `partial`.
    const mode = this.points.has(askedPoint) ? 'partial' : 'full'
    this.guard.attest({ mode, tools: [...this.tools], mediationPoints: [...this.points].sort() })
  }
}

const mostTools = 1000

/** The agent for which a local program asks. */
export interface Asking {
  agentId: string
  guard: Guard
  asked: AskedTools
  approvals: ApprovalNews
  /** The delegation in the header of the request. One in the body must be the same. */
  delegation?: string | undefined
}

/**
 * Handles `POST /edge/v1/decide`. If the body has `approval_id` and `wait_ms`, the route first waits until the approval is
 * resolved, but at most `wait_ms` milliseconds. Then it decides the call.
 * @throws RequestRefused: 400 if the body is invalid or a call of an MCP tool has two argument names that differ only in letter case, 404 if the body names another agent than `agentId`
 */
export async function decideRoute(
  body: unknown,
  { agentId, guard, asked, approvals, delegation: inHeader }: Asking,
  signal: AbortSignal,
) {
  const { data, error } = DecideRequest.safeParse(body)
  if (!data) {
    const { path, message } = error.issues[0] as z.core.$ZodIssue
    throw new RequestRefused(400, `${path.join('.') || 'the body'} ${message}`)
  }
  if (data.agent_id !== undefined && data.agent_id !== agentId) throw new RequestRefused(404, 'agent not found')
  const { tool, other_tools: otherTools, args, approval_id: approvalId, mediation_point: point, redacts } = data
  const { session_id: sessionId, on_behalf_of: onBehalfOf, wait_ms: waitMs = 0 } = data
  // As for a call through the edge: the program may send the call to the same server.
  if ([tool, ...(otherTools ?? [])].some(isMcpTool) && hasTwins(args as JsonObject)) {
    throw new RequestRefused(400, 'args: two argument names differ only in letter case')
  }
  if (approvalId !== undefined) await approvals.wait(approvalId, waitMs, signal)
  const decision = await guard.decide({
    tool,
    otherTools,
    args,
    approvalId,
    sessionId,
    onBehalfOf,
    delegation: sameDelegation(inHeader, data.delegation),
    canRedact: redacts,
    signal,
  })
  // Nobody gets the answer, so the call is not made by this decision.
  if (signal.aborted) guard.withdraw(decision)
  asked.note(tool, point)
  return answerOf(decision)
}

function answerOf(decision: Decision) {
  const { decisionId, verdict, enforced, rule, reason, deniedBecause, policyVersion, approval, args, page } = decision
  return {
    decision_id: decisionId,
    verdict,
    enforced,
    rule,
    reason,
    ...(deniedBecause && { denied_because: deniedBecause }),
    policy_version: policyVersion,
    ...(args && { args }),
    ...(page && { page }),
    ...(approval && {
      approval: { approval_id: approval.approvalId, expires_at: approval.expiresAt, status: approval.status },
    }),
  }
}
