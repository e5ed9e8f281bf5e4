import { reviewEndpoints as endpoints } from '@mandate/contract/reviews'
import { on } from '../../http/routes/route.ts'
import { acceptFinding, requireFinding } from './accept/accept-finding.ts'
import { listFindings } from './list/list-findings.ts'

export const findingRoutes = [
  on(endpoints.listFindings, (ctx, { query }) => listFindings(ctx, query)),
  on(endpoints.acceptFinding, (ctx, { params, body }) => acceptFinding(ctx, params.finding_id, body), {
    beforeBadBody: (ctx, { finding_id }) => requireFinding(ctx.sql, ctx.actor, finding_id),
  }),
]
