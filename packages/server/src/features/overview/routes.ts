import { overviewEndpoints as endpoints } from '@mandate/contract/overview'
import { on } from '../../http/routes/route.ts'
import { getOverview } from './get-overview.ts'

export const overviewRoutes = [on(endpoints.getOverview, (ctx) => getOverview(ctx))]
