import { z } from 'zod'
import { ChainLink, ContentMatch, sessionOfCall } from './edge.ts'
import { anyone, edge, manager, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames } from './endpoint/names.ts'
import { jsonObject, limit, offset, oneOf, page, sortParam, text, timestamp, uuid } from './fields/fields.ts'
import { mine, oneOrMore } from './fields/one-or-more.ts'
import { agentId, mayFields, policyId } from './fields/shared-fields.ts'

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'consumed'] as const
/** Why an approval expired: the time was over, or its agent was stopped. */
export const approvalEnds = ['time', 'frozen', 'suspended', 'archived', 'blocked', 'retired'] as const
export const approvalOutcomes = ['approved', 'rejected'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]
export type ApprovalEnd = (typeof approvalEnds)[number]
export type ApprovalOutcome = (typeof approvalOutcomes)[number]

const version = z.int().min(1).max(2_147_483_647)
const hash = text({ max: 64 }).refine((value) => /^[0-9a-f]{64}$/.test(value), {
  error: 'must be 64 lower-case hexadecimal characters',
})

export const Approval = z
  .object({
    id: uuid.describe('Id of the approval. The edge chose it.'),
    agent_id: agentId,
    agent_name: z.string().describe('Name of the agent.'),
    environment_id: uuid.nullable().describe('Environment of the agent. Null if it has none.'),
    tool: z.string().describe('Tool of the pending call, such as `mcp:files/delete`.'),
    args_digest: z
      .string()
      .describe('SHA-256 of the RFC 8785 canonical JSON of `{tool, args}`, as 64 hexadecimal characters.'),
    arguments: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'Arguments of the call, as far as the edge shows them. The edge removes secrets. Null if the edge shows no arguments.',
      ),
    arguments_exact: z
      .boolean()
      .nullable()
      .describe(
        'True if `args_digest` is the digest of the shown arguments. False if the edge shortened or redacted them. Null for an approval that an earlier version of the service stored.',
      ),
    session_id: z.string().nullable().describe('Session of the agent. Null if it is unknown.'),
    on_behalf_of: z.string().nullable().describe('For whom the agent acts, as its caller says. Null if it is unknown.'),
    chain: z.array(ChainLink).describe('Delegation under which the agent acts. Empty if it is unknown.'),
    labels: z.array(z.string()).describe('Labels of the session when the edge asked. Empty if they are unknown.'),
    content: z.array(ContentMatch).describe('Content patterns that matched. Empty if they are unknown.'),
    edge: z
      .object({ id: uuid.describe('Id of the edge.'), name: z.string().describe('Name of the edge.') })
      .nullable()
      .describe('Edge that asked, by its edge key. Null if the agent asked with its own key.'),
    policy_id: policyId,
    policy_version: z.int().describe('Version of the policy that asked for the approval.'),
    policy_hash: z.string().describe('Content hash of that version.'),
    rule_id: uuid.nullable().describe('Rule that asked for the approval. Null if it was the default effect.'),
    rule_name: z.string().nullable().describe('Name of that rule. Null if the edge sent none.'),
    reason: z.string().describe('Why the call needs an approval, as the rule says it.'),
    status: oneOf(approvalStatuses).describe(
      '`pending` until a person decides or the time is over. `consumed` when the call passed.',
    ),
    assigned_role: oneOf(['manager', 'owner']).describe(
      'Lowest role that decides: `owner` for an agent in a production environment, otherwise `manager`.',
    ),
    requested_at: timestamp.describe('When the edge asked.'),
    expires_at: timestamp.describe(
      'The approval must be decided and used before this time. The server setting `MANDATE_APPROVAL_SECONDS` is 15 minutes by default.',
    ),
    resolved_by: uuid
      .nullable()
      .describe('Id of the user who decided. It stays after that user was removed. Null before the decision.'),
    resolved_at: timestamp.nullable().describe('When a person decided. Null before the decision.'),
    comment: z.string().nullable().describe('What the person wrote with the decision. Null if nothing was written.'),
    ended_because: oneOf(approvalEnds)
      .nullable()
      .describe(
        'Why the approval expired: the time was over, or the agent was stopped. Null unless it is expired, and for an approval that an earlier version of the service marked as expired.',
      ),
    freeze_id: uuid.nullable().describe('Freeze that ended the approval. Null unless `ended_because` is `frozen`.'),
    consumed_at: timestamp.nullable().describe('When the call passed. Null unless the approval was consumed.'),
    ...mayFields,
  })
  .meta({
    id: 'Approval',
    description:
      "A person's permission for one pending call. An approval that was not consumed before `expires_at` is `expired`, and so is one whose agent was stopped.",
  })
export type Approval = z.output<typeof Approval>

export const ApprovalRequest = z
  .object({
    approval_id: uuid.describe(
      'Id of the approval, chosen by the edge. The same id with the same request is answered again.',
    ),
    agent_id: agentId,
    tool: text({ min: 1, max: 300 }).describe('Tool of the pending call, 1 to 300 characters.'),
    args_digest: hash.describe(
      'SHA-256 of the RFC 8785 canonical JSON of `{tool, args}`, as 64 lower-case hexadecimal characters.',
    ),
    arguments: jsonObject({ maxCharacters: 16_384, maxDepth: 20 })
      .optional()
      .describe('Arguments to show to people, without secrets: at most 16,384 characters as JSON and 20 levels.'),
    policy_id: policyId,
    policy_version: version.describe('Version of the policy that asked for the approval.'),
    policy_hash: hash.describe('Content hash of that version, as 64 lower-case hexadecimal characters.'),
    rule_id: uuid.optional().describe('Rule that asked for the approval. Leave it out if it was the default effect.'),
    rule_name: text({ max: 200 }).optional().describe('Name of that rule, at most 200 characters.'),
    reason: text({ max: 2000 }).describe('Why the call needs an approval, at most 2,000 characters.'),
    ...sessionOfCall,
  })
  .meta({ id: 'ApprovalRequest', description: 'A pending call for which an edge asks people.' })
export type ApprovalRequest = z.output<typeof ApprovalRequest>

export const Consumption = z.object({
  args_digest: hash.describe('Digest of the call, which must be the one that was approved.'),
  policy_version: version.describe('Policy version that the edge runs, which must be the one that asked.'),
  policy_hash: hash.describe('Content hash of that version.'),
})
export type Consumption = z.output<typeof Consumption>

export const ApprovalResolution = z.object({
  outcome: oneOf(approvalOutcomes).describe('`approved` lets the call pass once. `rejected` refuses it.'),
  comment: text({ max: 2000 }).optional().describe('Why, at most 2,000 characters.'),
})
export type ApprovalResolution = z.output<typeof ApprovalResolution>

export const ApprovalFilters = z.object({
  status: oneOrMore(approvalStatuses, 'Only approvals with one of these statuses. May be repeated.'),
  agent_id: uuid.optional().describe('Only approvals of this agent.'),
  mine,
  from: timestamp.optional().describe('Only approvals that were requested at this time or later.'),
  sort: sortParam(['requested_at', 'expires_at'], 'requested_at').describe(
    'Order of the rows. `requested_at`: newest first. `expires_at`: the soonest first.',
  ),
  limit: limit(),
  offset,
  include: includeMayNames,
})
export type ApprovalFilters = z.output<typeof ApprovalFilters>

const params = z.object({ approval_id: uuid.describe('Id of the approval.') })
const linkToken = z.string().max(500, 'must be at most 500 characters')
const tag = 'Approvals'

export const approvalEndpoints = {
  listApprovals: endpoint({
    method: 'GET',
    path: '/approvals',
    tag,
    summary: 'List approvals of the agents the caller sees, newest first',
    description:
      'Each approval belongs to one pending call. The newest come first, unless `sort` asks for another order.',
    access: viewer,
    query: ApprovalFilters,
    answers: { 200: page(Approval) },
    errors: [400],
  }),
  getApproval: endpoint({
    method: 'GET',
    path: '/approvals/{approval_id}',
    tag,
    summary: 'Read an approval',
    description: '404 for an approval of an agent that the caller cannot see.',
    access: viewer,
    params,
    query: z.object({ include: includeMayNames }),
    answers: { 200: Approval },
    errors: [400, 404],
  }),
  resolveApproval: endpoint({
    method: 'POST',
    path: '/approvals/{approval_id}/resolve',
    tag,
    summary: 'Approve or reject a pending call',
    description:
      'An owner decides on calls of production agents, a manager or owner on all others. The owner of the agent, now or at the time of the request, decides only if nobody else could. 409 if the approval is decided or expired.',
    access: manager,
    params,
    body: ApprovalResolution,
    answers: { 200: Approval },
    errors: [400, 403, 404, 409],
  }),
  requestApproval: endpoint({
    method: 'POST',
    path: '/edge/approvals',
    tag,
    summary: 'Ask people to approve a pending call',
    description:
      'Idempotent by `approval_id`: the same request again gets 200 with the current approval. Another request with that id gets 409. At most 100 approvals of an agent are pending.',
    access: edge,
    body: ApprovalRequest,
    answers: { 201: Approval, 200: Approval },
    errors: [400, 404, 409],
  }),
  getHeldCall: endpoint({
    method: 'GET',
    path: '/edge/approvals/{approval_id}',
    tag,
    summary: 'Read the approval of a pending call',
    description:
      'The edge reads the decision here. 404 for an approval of an agent that the credential does not serve.',
    access: edge,
    params,
    answers: { 200: Approval },
    errors: [400, 404],
  }),
  consumeApproval: endpoint({
    method: 'POST',
    path: '/edge/approvals/{approval_id}/consume',
    tag,
    summary: 'Use an approval, once',
    description:
      'The call may pass after a 200 and not otherwise. 409 unless the approval is approved, neither expired nor consumed, was given for these arguments and this policy version, and the agent may act.',
    access: edge,
    params,
    body: Consumption,
    answers: { 200: Approval },
    errors: [400, 404, 409],
  }),
  openApprovalPage: endpoint({
    method: 'GET',
    path: '/approve',
    tag,
    summary: 'Open the page of an approval link',
    description:
      'Opening the page decides nothing. A link that is unknown, used, expired or no longer valid for its person gets 410 with one page.',
    access: anyone,
    absolute: true,
    query: z.object({
      token: linkToken.optional().describe('Token of the approval link. Without it the answer is 410.'),
    }),
    answers: { 200: z.string() },
    produces: 'text/html',
    refusesWithPage: true,
    errors: [400, 410, 429],
  }),
  resolveByLink: endpoint({
    method: 'POST',
    path: '/approve',
    tag,
    summary: 'Decide by an approval link',
    description:
      'The form of the approval page posts here. The decision counts as one of the person the link was sent to. A link works once.',
    access: anyone,
    absolute: true,
    body: ApprovalResolution.extend({ token: linkToken.describe('Token of the approval link.') }),
    consumes: 'application/x-www-form-urlencoded',
    answers: { 200: z.string() },
    produces: 'text/html',
    refusesWithPage: true,
    errors: [400, 410, 429],
  }),
}
