import { userEndpoints as endpoints } from '@mandate/contract/users'
import { on } from '../../http/routes/route.ts'
import { getUser } from './get-user.ts'
import { leaveTenant } from './leave-tenant.ts'
import { listUsers } from './list-users.ts'
import { previewRemoval } from './preview-removal.ts'
import { removeUser } from './remove-user.ts'
import { resetMfa } from './reset-mfa.ts'
import { revokeUserSessions } from './revoke-user-sessions.ts'
import { refuseUpdateFirst, updateUser } from './update-user.ts'

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
