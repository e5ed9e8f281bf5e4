import { userEndpoints as endpoints } from '@mandate/contract/users'
import { on, Reply } from '../../http/routes/route.ts'
import { createEnvironmentAccess, listEnvironmentAccess, revokeEnvironmentAccess } from './environment-access.ts'
import { grantPlatformAccess, requireGrantablePlatformAccess } from './grant-platform-access.ts'
import { createGrant, listGrants, revokeGrant } from './grants.ts'
import { requireChangeableAccess } from './may-change-access.ts'
import { requireChangeableScope, setAccessScope } from './set-access-scope.ts'

// 201 for a new entry, 200 for an existing one.
const created = <B>(isNew: boolean, body: B) => new Reply(body, { status: isNew ? 201 : 200 })

export const userAccessRoutes = [
  on(endpoints.grantPlatformAccess, (ctx, { params, body }) => grantPlatformAccess(ctx, params.user_id, body.role), {
    beforeBadBody: (ctx, params) => requireGrantablePlatformAccess(ctx, params.user_id),
  }),
  on(endpoints.setAccessScope, (ctx, { params, body }) => setAccessScope(ctx, params.user_id, body.access_scope), {
    beforeBadBody: (ctx, params) => requireChangeableScope(ctx, params.user_id),
  }),
  on(endpoints.listGrants, (ctx, { params }) => listGrants(ctx, params.user_id)),
  on(
    endpoints.createGrant,
    async (ctx, { params, body }) => {
      const { created: isNew, grant } = await createGrant(ctx, params.user_id, body.resource_id)
      return created(isNew, grant)
    },
    { beforeBadBody: (ctx, params) => requireChangeableAccess(ctx, params.user_id) },
  ),
  on(endpoints.revokeGrant, (ctx, { params }) => revokeGrant(ctx, params.user_id, params.grant_id)),
  on(endpoints.listEnvironmentAccess, (ctx, { params }) => listEnvironmentAccess(ctx, params.user_id)),
  on(
    endpoints.createEnvironmentAccess,
    async (ctx, { params, body }) => {
      const { created: isNew, entry } = await createEnvironmentAccess(ctx, params.user_id, body.environment_id)
      return created(isNew, entry)
    },
    { beforeBadBody: (ctx, params) => requireChangeableAccess(ctx, params.user_id) },
  ),
  on(endpoints.revokeEnvironmentAccess, (ctx, { params }) =>
    revokeEnvironmentAccess(ctx, params.user_id, params.access_id),
  ),
]
