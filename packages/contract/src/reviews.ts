import { z } from 'zod'
import { Finding } from './agents.ts'
import { manager, member, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames } from './endpoint/names.ts'
import { limit, offset, oneOf, page, sortParam, text, timestamp, uuid } from './fields/fields.ts'
import { mine, oneOrMore } from './fields/one-or-more.ts'
import { agentId, mayFields, policyId } from './fields/shared-fields.ts'
import { findingTypes, severities } from './words/agent-words.ts'

export const reviewKinds = ['onboarding', 'change', 'attestation'] as const
export const reviewStatuses = ['pending', 'approved', 'rejected', 'attested', 'superseded'] as const
export const reviewOutcomes = ['approved', 'rejected', 'attested'] as const
export type ReviewKind = (typeof reviewKinds)[number]
export type ReviewOutcome = (typeof reviewOutcomes)[number]

const PolicyAt = z.object({
  policy_id: policyId,
  version: z.int().nullable().describe('Version of the policy. Null if it is unknown.'),
})

const ReviewSubject = z.object({
  policy_id: uuid.nullable().describe('Policy that was assigned to the agent. Null if it had none.'),
  approved: PolicyAt.nullable().describe('Approval of record of the agent. Null if it had none.'),
  running: PolicyAt.nullable().describe('Policy version that the agent ran. Null if no heartbeat had reported one.'),
})

export const Review = z
  .object({
    id: uuid.describe('Id of the review.'),
    agent_id: agentId,
    environment_id: uuid
      .nullable()
      .describe('Environment of the agent when the review was opened. Null if it had none, or in an older review.'),
    subject: ReviewSubject.nullable().describe(
      'What the review was about when it was opened. Null for a review that an earlier version of the service opened.',
    ),
    kind: oneOf(reviewKinds).describe(
      'Why the review was opened. `onboarding`: the agent is new. `change`: it runs a policy that is not approved. `attestation`: a person asked for it.',
    ),
    status: oneOf(reviewStatuses).describe(
      '`pending` until it is resolved. `superseded`: another event made the review unnecessary.',
    ),
    assigned_role: oneOf(['manager', 'owner']).describe(
      'Lowest role that resolves the review: `owner` for onboarding and change reviews of production agents, otherwise `manager`.',
    ),
    requested_by: uuid.nullable().describe('Id of the user who asked for the review. Null if a heartbeat opened it.'),
    opened_at: timestamp.describe('When the review was opened.'),
    resolved_by: uuid
      .nullable()
      .describe(
        'Id of the user who resolved the review. It stays after that user was removed. Null while the review is pending, and if it was superseded.',
      ),
    resolved_at: timestamp.nullable().describe('When the review was resolved or superseded. Null while it is pending.'),
    comment: z.string().nullable().describe('What the person wrote with the decision. Null if nothing was written.'),
    ...mayFields,
  })
  .meta({
    id: 'Review',
    description: 'A decision of people about an agent. At most one review of each kind is pending for an agent.',
  })
export type Review = z.output<typeof Review>

export const ReviewResolution = z.object({
  outcome: oneOf(reviewOutcomes).describe(
    '`approved` and `attested` set the approval of record, `rejected` blocks the agent.',
  ),
  comment: text({ min: 1, max: 2000 }).describe('Why, 1 to 2,000 characters.'),
  policy: z
    .object({
      policy_id: uuid.describe('Id of the policy.'),
      version: z
        .int()
        .min(1)
        .max(2_147_483_647)
        .nullable()
        .describe('The version. Null if the edge reported no version of the policy that runs.'),
    })
    .nullable()
    .optional()
    .describe(
      'The policy version that the caller looked at; null if the agent had no policy. 409 if `approved` or `attested` would make another version the approval of record. Not checked if it is left out, and with `rejected`.',
    ),
})
export type ReviewResolution = z.output<typeof ReviewResolution>

export const ReviewFilters = z.object({
  agent_id: uuid.optional().describe('Only reviews of this agent.'),
  status: oneOrMore(reviewStatuses, 'Only reviews with one of these statuses. May be repeated.'),
  mine,
  from: timestamp.optional().describe('Only reviews that were opened at this time or later.'),
  kind: oneOf(reviewKinds).optional().describe('Only reviews of this kind.'),
  limit: limit(),
  offset,
  include: includeMayNames,
})
export type ReviewFilters = z.output<typeof ReviewFilters>

export const FindingFilters = z.object({
  agent_id: uuid.optional().describe('Only findings of this agent.'),
  type: oneOf(findingTypes).optional().describe('Only findings of this type.'),
  status: oneOf(['open', 'closed']).optional().describe('Only findings with this status.'),
  severity: oneOf(severities).optional().describe('Only findings of this severity.'),
  environment_id: uuid.optional().describe('Only findings on agents of this environment.'),
  sort: sortParam(['opened_at', 'attention'], 'opened_at').describe(
    'Order of the rows. `opened_at`: newest first. `attention`: open findings first, then the highest severity, then the newest.',
  ),
  limit: limit(),
  offset,
})
export type FindingFilters = z.output<typeof FindingFilters>

export const FindingAcceptance = z.object({
  reason: text({ min: 1, max: 2000 }).describe('Why the cause cannot be removed, 1 to 2,000 characters.'),
})
export type FindingAcceptance = z.output<typeof FindingAcceptance>

const params = z.object({ review_id: uuid.describe('Id of the review.') })
const tag = 'Reviews'

export const reviewEndpoints = {
  listReviews: endpoint({
    method: 'GET',
    path: '/reviews',
    tag,
    summary: 'List reviews of the agents the caller sees, newest first',
    description: 'Reviews of every status, unless `status` names one.',
    access: viewer,
    query: ReviewFilters,
    answers: { 200: page(Review) },
    errors: [400],
  }),
  getReview: endpoint({
    method: 'GET',
    path: '/reviews/{review_id}',
    tag,
    summary: 'Read a review',
    description: '404 for a review of an agent that the caller cannot see.',
    access: viewer,
    params,
    query: z.object({ include: includeMayNames }),
    answers: { 200: Review },
    errors: [400, 404],
  }),
  resolveReview: endpoint({
    method: 'POST',
    path: '/reviews/{review_id}/resolve',
    tag,
    summary: 'Resolve a review',
    description:
      'An owner resolves reviews that are assigned to owners, a manager or owner all others. The person who asked for the review resolves it only if nobody else could. `approved` and `attested` make the policy version in force the approval of record, for a change review the running one. `approved` and `rejected` set `lifecycle_status` to `approved` and `blocked`. 409 if the review is resolved already, if `policy` is not the version that would become the approval of record, and for a change review if the agent runs another policy now or an unknown one.',
    access: manager,
    params,
    body: ReviewResolution,
    answers: { 200: Review },
    errors: [400, 403, 404, 409],
  }),
  openReview: endpoint({
    method: 'POST',
    path: '/agents/{agent_id}/reviews',
    tag,
    summary: 'Ask for an attestation review of an agent',
    description: '409 while an attestation review of the agent is pending.',
    access: member,
    params: z.object({ agent_id: agentId }),
    body: z.object({
      kind: oneOf(['attestation']).describe('Always `attestation`. The service opens the other kinds itself.'),
    }),
    answers: { 201: Review },
    errors: [400, 403, 404, 409],
  }),
  listFindings: endpoint({
    method: 'GET',
    path: '/findings',
    tag: 'Findings',
    summary: 'List findings on the agents the caller sees',
    description:
      'Open and closed findings, unless `status` names one. The newest come first, unless `sort` asks for another order.',
    access: viewer,
    query: FindingFilters.extend({ include: includeMayNames }),
    answers: { 200: page(Finding) },
    errors: [400],
  }),
  acceptFinding: endpoint({
    method: 'POST',
    path: '/findings/{finding_id}/accept',
    tag: 'Findings',
    summary: 'Accept a finding whose cause cannot be removed',
    description:
      'Closes a finding of the type `decision_gap`, for example because the missing records are lost. The evidence then has `accepted` with the user, the reason and the time. 409 for a finding of another type, and for a closed one.',
    access: manager,
    params: z.object({ finding_id: uuid.describe('Id of the finding.') }),
    body: FindingAcceptance,
    answers: { 200: Finding },
    errors: [400, 403, 404, 409],
  }),
}
