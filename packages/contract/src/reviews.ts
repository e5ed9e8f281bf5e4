import { z } from 'zod'
import { manager, member, viewer } from './access.ts'
import { Finding, findingTypes } from './agents.ts'
import { endpoint } from './endpoint.ts'
import { limit, offset, oneOf, page, text, timestamp, uuid } from './fields.ts'

export const reviewKinds = ['onboarding', 'change', 'attestation'] as const
export const reviewStatuses = ['pending', 'approved', 'rejected', 'attested', 'superseded'] as const
export const reviewOutcomes = ['approved', 'rejected', 'attested'] as const
export type ReviewKind = (typeof reviewKinds)[number]
export type ReviewOutcome = (typeof reviewOutcomes)[number]

export const Review = z
  .object({
    id: uuid,
    agent_id: uuid,
    kind: oneOf(reviewKinds),
    status: oneOf(reviewStatuses),
    assigned_role: oneOf(['manager', 'owner']),
    requested_by: uuid.nullable(),
    opened_at: timestamp,
    resolved_by: uuid.nullable(),
    resolved_at: timestamp.nullable(),
    comment: z.string().nullable(),
  })
  .meta({
    id: 'Review',
    description:
      'A question put to people about an agent. `requested_by` is null for a review that a heartbeat opened, `resolved_by` for ' +
      'one that another event made superfluous (`superseded`).',
  })
export type Review = z.output<typeof Review>

export const ReviewResolution = z.object({ outcome: oneOf(reviewOutcomes), comment: text({ min: 1, max: 2000 }) })
export type ReviewResolution = z.output<typeof ReviewResolution>

export const ReviewFilters = z.object({
  agent_id: uuid.optional(),
  status: oneOf(reviewStatuses).optional(),
  kind: oneOf(reviewKinds).optional(),
  limit: limit(),
  offset,
})
export type ReviewFilters = z.output<typeof ReviewFilters>

export const FindingFilters = z.object({
  agent_id: uuid.optional(),
  type: oneOf(findingTypes).optional(),
  status: oneOf(['open', 'closed']).optional(),
  limit: limit(),
  offset,
})
export type FindingFilters = z.output<typeof FindingFilters>

const params = z.object({ review_id: uuid })
const tag = 'Reviews'

export const reviewEndpoints = {
  listReviews: endpoint({
    method: 'GET',
    path: '/reviews',
    tag,
    summary: 'List governance reviews of the agents the caller sees, newest first',
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
    access: viewer,
    params,
    answers: { 200: Review },
    errors: [400, 404],
  }),
  resolveReview: endpoint({
    method: 'POST',
    path: '/reviews/{review_id}/resolve',
    tag,
    summary: 'Approve, reject or attest',
    description:
      'A review assigned to owners is resolved by an owner, any other by a manager or above; by the person who asked for it ' +
      'only when nobody else could. `approved` and `attested` make the policy version in force the approval of record, for a ' +
      'change review the running one; `approved` and `rejected` move `lifecycle_status` to `approved` and `blocked`.',
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
    summary: 'Ask for an attestation of an agent',
    access: member,
    params: z.object({ agent_id: uuid }),
    body: z.object({ kind: oneOf(['attestation']) }),
    answers: { 201: Review },
    errors: [400, 403, 404, 409],
  }),
  listFindings: endpoint({
    method: 'GET',
    path: '/findings',
    tag: 'Findings',
    summary: 'List findings on the agents the caller sees, newest first',
    access: viewer,
    query: FindingFilters,
    answers: { 200: page(Finding) },
    errors: [400],
  }),
}
