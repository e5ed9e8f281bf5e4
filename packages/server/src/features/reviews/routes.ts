import { reviewEndpoints as endpoints } from '@mandate/contract/reviews'
import { on } from '../../http/routes/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { getReview, listReviews } from './list-reviews.ts'
import { requestAttestation } from './request-review.ts'
import { refuseResolution, resolveReview } from './resolve-review.ts'

/** Reads the outcome from a body that is not validated yet. */
const outcomeOf = (body: unknown) => (body as { outcome?: unknown } | null | undefined)?.outcome

export const reviewRoutes = [
  on(endpoints.listReviews, (ctx, { query }) => listReviews(ctx, query)),
  on(endpoints.getReview, (ctx, { params, query }) => getReview(ctx, params.review_id, query.include)),
  on(endpoints.resolveReview, (ctx, { params, body }) => resolveReview(ctx, params.review_id, body), {
    beforeBadBody: (ctx, { review_id }, rawBody) => refuseResolution(ctx, review_id, outcomeOf(rawBody)),
  }),
  on(endpoints.openReview, (ctx, { params }) => requestAttestation(ctx, params.agent_id), {
    beforeBadBody: (ctx, { agent_id }) => requireAgent(ctx.sql, ctx.actor, agent_id),
  }),
]
