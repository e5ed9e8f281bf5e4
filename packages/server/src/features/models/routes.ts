import { modelEndpoints as endpoints } from '@mandate/contract/models'
import { on } from '../../http/routes/route.ts'
import { listModels } from './list-models.ts'

export const modelRoutes = [on(endpoints.listModels, (ctx, { query }) => listModels(ctx, query))]
