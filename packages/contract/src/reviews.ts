import { z } from 'zod'
import { manager, member, viewer } from './access.ts'
import { Finding, findingTypes } from './agents.ts'
import { endpoint } from './endpoint.ts'
import { limit, offset, oneOf, page, text, timestamp, uuid } from './fields.ts'
import { agentId } from './shared-fields.ts'

export const reviewKinds = ['onboarding', 'change', 'attestation'] as const
export const reviewStatuses = ['pending', 'approved', 'rejected', 'attested', 'superseded'] as const
export const reviewOutcomes = ['approved', 'rejected', 'attested'] as const
export type ReviewKind = (typeof reviewKinds)[number]
export type ReviewOutcome = (typeof reviewOutcomes)[number]

export const Review = z
  .object({
    id: uuid.describe('Id of the review.'),
    agent_id: agentId,
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
})
export type ReviewResolution = z.output<typeof ReviewResolution>

export const ReviewFilters = z.object({
  agent_id: uuid.optional().describe('Only reviews of this agent.'),
  status: oneOf(reviewStatuses).optional().describe('Only reviews with this status.'),
  kind: oneOf(reviewKinds).optional().describe('Only reviews of this kind.'),
  limit: limit(),
  offset,
})
export type ReviewFilters = z.output<typeof ReviewFilters>

export const FindingFilters = z.object({
  agent_id: uuid.optional().describe('Only findings of this agent.'),
  type: oneOf(findingTypes).optional().describe('Only findings of this type.'),
  status: oneOf(['open', 'closed']).optional().describe('Only findings with this status.'),
  limit: limit(),
  offset,
})
export type FindingFilters = z.output<typeof FindingFilters>

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
    answers: { 200: Review },
    errors: [400, 404],
  }),
  resolveReview: endpoint({
    method: 'POST',
    path: '/reviews/{review_id}/resolve',
    tag,
    summary: 'Resolve a review',
    description:
      'An owner resolves reviews that are assigned to owners, a manager or owner all others. The person who asked for the review resolves it only if nobody else could. `approved` and `attested` make the policy version in force the approval of record, for a change review the running one. `approved` and `rejected` set `lifecycle_status` to `approved` and `blocked`. 409 if the review is resolved already, and for a change review if the agent runs another policy now or an unknown one.',
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
    summary: 'List findings on the agents the caller sees, newest first',
    description: 'Open and closed findings, unless `status` names one.',
    access: viewer,
    query: FindingFilters,
    answers: { 200: page(Finding) },
    errors: [400],
  }),
}
