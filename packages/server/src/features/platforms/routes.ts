import { endpoints } from '@mandate/contract/endpoints'
import { on, type Route } from '../../http/routes/route.ts'
import { connectPlatform } from './connect-platform.ts'
import { disconnectPlatform } from './disconnect-platform.ts'
import { listPlatforms } from './list-platforms.ts'
import { syncPlatform } from './sync-platform.ts'

export const platformRoutes: Route[] = [
  on(endpoints.listPlatforms, (ctx, { query }) => listPlatforms(ctx, query)),
  on(endpoints.connectPlatform, (ctx, { body }) => connectPlatform(ctx, body)),
  on(endpoints.disconnectPlatform, (ctx, { params }) => disconnectPlatform(ctx, params.platform_id)),
  on(endpoints.syncPlatform, (ctx, { params }) => syncPlatform(ctx, params.platform_id)),
]
