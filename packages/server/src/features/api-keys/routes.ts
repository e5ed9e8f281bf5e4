import { apiKeyEndpoints as endpoints } from '@mandate/contract/api-keys'
import { on } from '../../http/routes/route.ts'
import { bindKey, refuseBindFirst } from './bind-key.ts'
import { createKey, refuseCreateFirst } from './create-key.ts'
import { listKeys } from './list-keys.ts'
import { revokeKey } from './revoke-key.ts'

export const apiKeyRoutes = [
  on(endpoints.createApiKey, (ctx, { body }) => createKey(ctx, body), {
    beforeBadBody: (ctx, _params, body) => refuseCreateFirst(ctx, body),
  }),
  on(endpoints.listApiKeys, (ctx, { query }) => listKeys(ctx, query)),
  on(endpoints.bindApiKey, (ctx, { params, body }) => bindKey(ctx, params.key_id, body.environment_id), {
    beforeBadBody: (ctx, params) => refuseBindFirst(ctx, params.key_id),
  }),
  on(endpoints.revokeApiKey, (ctx, { params }) => revokeKey(ctx, params.key_id)),
]
