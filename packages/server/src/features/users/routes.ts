import { userEndpoints as endpoints } from '@mandate/contract/users'
import { on } from '../../http/routes/route.ts'
import { refuseUpdateFirst, updateUser } from './change/update-user.ts'
import { getUser } from './list/get-user.ts'
import { listUsers } from './list/list-users.ts'
import { leaveTenant } from './remove/leave-tenant.ts'
import { previewRemoval } from './remove/preview-removal.ts'
import { removeUser } from './remove/remove-user.ts'
import { resetMfa } from './sign-in/reset-mfa.ts'
import { revokeUserSessions } from './sign-in/revoke-user-sessions.ts'

export const userRoutes = [
  on(endpoints.listUsers, (ctx, { query }) => listUsers(ctx, query)),
  on(endpoints.getUser, (ctx, { params, query }) => getUser(ctx, params.user_id, query.include)),
  on(endpoints.updateUser, (ctx, { params, body }) => updateUser(ctx, params.user_id, body), {
    beforeBadBody: (ctx, params, body) => refuseUpdateFirst(ctx, params.user_id, body),
  }),
  on(endpoints.removeUser, async (ctx, { params }) => await removeUser(ctx, params.user_id)),
  on(endpoints.removeMyself, async (ctx) => await leaveTenant(ctx)),
  on(endpoints.previewRemoval, (ctx, { params }) => previewRemoval(ctx, params.user_id)),
  on(endpoints.resetMfa, (ctx, { params }) => resetMfa(ctx, params.user_id)),
  on(endpoints.revokeUserSessions, async (ctx, { params }) => await revokeUserSessions(ctx, params.user_id)),
]
