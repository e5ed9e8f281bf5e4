import { reviewEndpoints as endpoints } from '@mandate/contract/reviews'
import { on } from '../../http/route.ts'
import { listFindings } from './list-findings.ts'

export const findingRoutes = [on(endpoints.listFindings, (ctx, { query }) => listFindings(ctx, query))]
