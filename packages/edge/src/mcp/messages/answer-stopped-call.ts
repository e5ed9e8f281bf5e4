import type { Decision } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './read-message.ts'
import { rpcError, stoppedByPolicy } from './rpc-error.ts'

export const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'

/**
 * Builds the answer to a call that does not reach its tool. A tool call gets a tool result with `isError`, which a model can
 * read. Reads, prompts, completions, and tool calls that ask for a task get a JSON-RPC error, because they expect other
 * results. `decision` is null if the edge could not decide the call.
 */
export function answerStoppedCall(request: JsonObject, decision: Decision | null): JsonObject {
  const params = isObject(request.params) ? request.params : {}
  const text = explain(decision)
  const meta = describe(decision)
  if (request.method !== 'tools/call' || isObject(params.task)) return rpcError(request.id, stoppedByPolicy, text, meta)
  const result: JsonObject = { content: [{ type: 'text', text }], isError: true, _meta: meta }
  return {
    jsonrpc: '2.0',
    id: request.id ?? null,
    result: isStateless(params) ? { resultType: 'complete', ...result } : result,
  }
}

/** True if the request contains the protocol version. Each request of MCP revisions from 2026-07-28 on contains it. */
export function isStateless(params: JsonValue | undefined): boolean {
  return isObject(params) && isObject(params._meta) && typeof params._meta[protocolVersionKey] === 'string'
}

function explain(decision: Decision | null): string {
  if (decision === null) return 'Stopped: the edge could not decide this call, so it did not reach the tool server.'
  const { rule, decisionId, approval, page } = decision
  const reason = withoutPeriod(decision.reason)
  const where = page === undefined ? `Decision ${decisionId}.` : `Decision ${decisionId}: ${page}`
  const because = `${rule ? `Rule "${rule.name}" (${rule.id})` : 'No rule of its own'}: ${reason}`
  if (decision.verdict === 'deny') return `${denialOf({ ...decision, reason }, because)}. ${where}`
  if (!approval)
    return `Stopped: this call needs a person's approval, and none could be asked for. ${because}. ${where}`
  const { approvalId, expiresAt, status } = approval
  if (status !== 'pending') return `Stopped: approval ${approvalId} is ${status}. ${because}. ${where}`
  return (
    `Held for a person's approval. ${because}. Approval ${approvalId}, open until ${expiresAt}. ` +
    'Once it is approved, make the same request again with the same arguments; ' +
    `_meta["mandate/approval_id"] may name the approval. ${where}`
  )
}

/** People write the reasons of rules with or without a period. */
const withoutPeriod = (text: string) => text.replace(/\.$/, '')

/** The words of the policy's own reasons. All other reasons are those of the edge. */
const byPolicy = new Set<Decision['deniedBecause']>([
  undefined,
  'rule',
  'default_effect',
  'misleading_tool_name',
  'content',
])

function denialOf({ deniedBecause, reason }: Decision, because: string): string {
  if (byPolicy.has(deniedBecause)) return `Denied by policy. ${because}`
  return deniedBecause === 'rejected' ? `Denied by a person. ${because}` : `Denied by the edge: ${reason}`
}

function describe(decision: Decision | null): JsonObject {
  if (decision === null)
    return { 'mandate/decision': { decision_id: null, verdict: 'deny', reason: 'could not be decided' } }
  const { decisionId, verdict, rule, reason, deniedBecause, policyVersion, approval, page } = decision
  return {
    'mandate/decision': {
      decision_id: decisionId,
      verdict,
      rule: rule && { id: rule.id, name: rule.name },
      reason,
      ...(deniedBecause && { denied_because: deniedBecause }),
      policy_version: policyVersion,
      ...(page && { page }),
    },
    ...(approval && {
      'mandate/approval': {
        approval_id: approval.approvalId,
        expires_at: approval.expiresAt,
        status: approval.status,
      },
    }),
  }
}
