import { z } from 'zod'
import { anyone, edge, manager, viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { jsonObject, limit, offset, oneOf, page, text, timestamp, uuid } from './fields.ts'

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'consumed'] as const
export const approvalOutcomes = ['approved', 'rejected'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]
export type ApprovalOutcome = (typeof approvalOutcomes)[number]

const version = z.int().min(1).max(2_147_483_647)
const hash = text({ max: 64 }).refine((value) => /^[0-9a-f]{64}$/.test(value), {
  error: 'must be 64 lower-case hexadecimal characters',
})

export const Approval = z
  .object({
    id: uuid,
    agent_id: uuid,
    agent_name: z.string(),
    environment_id: uuid.nullable(),
    tool: z.string(),
    args_digest: z.string(),
    arguments: z.record(z.string(), z.unknown()).nullable(),
    policy_id: uuid,
    policy_version: z.int(),
    policy_hash: z.string(),
    rule_id: uuid.nullable(),
    rule_name: z.string().nullable(),
    reason: z.string(),
    status: oneOf(approvalStatuses),
    assigned_role: oneOf(['manager', 'owner']),
    requested_at: timestamp,
    expires_at: timestamp,
    resolved_by: uuid.nullable(),
    resolved_at: timestamp.nullable(),
    comment: z.string().nullable(),
    consumed_at: timestamp.nullable(),
  })
  .meta({
    id: 'Approval',
    description:
      'A tool call that an edge holds until a person decides. `arguments` is what the edge chose to show of them, `args_digest` ' +
      'the SHA-256 of RFC 8785 canonical JSON of {tool, args}. One that was not consumed by `expires_at` is `expired`.',
  })
export type Approval = z.output<typeof Approval>

export const ApprovalRequest = z
  .object({
    approval_id: uuid,
    agent_id: uuid,
    tool: text({ min: 1, max: 300 }),
    args_digest: hash,
    arguments: jsonObject({ maxCharacters: 16_384, maxDepth: 20 }).optional(),
    policy_id: uuid,
    policy_version: version,
    policy_hash: hash,
    rule_id: uuid.optional(),
    rule_name: text({ max: 200 }).optional(),
    reason: text({ max: 2000 }),
  })
  .meta({ id: 'ApprovalRequest' })
export type ApprovalRequest = z.output<typeof ApprovalRequest>

export const Consumption = z.object({ args_digest: hash, policy_version: version, policy_hash: hash })
export type Consumption = z.output<typeof Consumption>

export const ApprovalResolution = z.object({
  outcome: oneOf(approvalOutcomes),
  comment: text({ max: 2000 }).optional(),
})
export type ApprovalResolution = z.output<typeof ApprovalResolution>

export const ApprovalFilters = z.object({
  status: oneOf(approvalStatuses).optional(),
  agent_id: uuid.optional(),
  limit: limit(),
  offset,
})
export type ApprovalFilters = z.output<typeof ApprovalFilters>

const params = z.object({ approval_id: uuid })
const linkToken = z.string().max(500, 'must be at most 500 characters')
const tag = 'Approvals'

export const approvalEndpoints = {
  listApprovals: endpoint({
    method: 'GET',
    path: '/approvals',
    tag,
    summary: 'List held tool calls of the agents the caller sees, newest first',
    access: viewer,
    query: ApprovalFilters,
    answers: { 200: page(Approval) },
    errors: [400],
  }),
  getApproval: endpoint({
    method: 'GET',
    path: '/approvals/{approval_id}',
    tag,
    summary: 'Read a held tool call',
    access: viewer,
    params,
    answers: { 200: Approval },
    errors: [400, 404],
  }),
  resolveApproval: endpoint({
    method: 'POST',
    path: '/approvals/{approval_id}/resolve',
    tag,
    summary: 'Let a held tool call pass, or refuse it',
    description:
      'A call of a production agent is resolved by an owner, any other by a manager or above; by the owner of the agent only ' +
      'when nobody else could.',
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
    summary: 'Hold a tool call and ask people',
    description:
      'Idempotent by `approval_id`: the same request again is answered 200 with the approval as it is by then, another one ' +
      'with that id 409. At most 100 of an agent are pending.',
    access: edge,
    body: ApprovalRequest,
    answers: { 201: Approval, 200: Approval },
    errors: [400, 404, 409],
  }),
  getHeldCall: endpoint({
    method: 'GET',
    path: '/edge/approvals/{approval_id}',
    tag,
    summary: 'Read how a held tool call stands',
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
      'The call may pass after a 200 and not otherwise. 409 unless it is approved, not expired, not consumed, and of these ' +
      'arguments under this policy version, and the agent may act.',
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
    summary: 'Open the page a mailed link leads to; decides nothing',
    description:
      'A link that is unknown, used, expired or no longer its bearer’s to use is answered 410 with one page.',
    access: anyone,
    absolute: true,
    query: z.object({ token: linkToken.optional() }),
    answers: { 200: z.string() },
    produces: 'text/html',
    refusesWithPage: true,
    errors: [400, 410, 429],
  }),
  resolveByLink: endpoint({
    method: 'POST',
    path: '/approve',
    tag,
    summary: 'Decide as the person a mailed link was sent to',
    access: anyone,
    absolute: true,
    body: ApprovalResolution.extend({ token: linkToken }),
    consumes: 'application/x-www-form-urlencoded',
    answers: { 200: z.string() },
    produces: 'text/html',
    refusesWithPage: true,
    errors: [400, 410, 429],
  }),
}
