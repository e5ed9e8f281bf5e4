import { environmentEndpoints as endpoints } from '@mandate/contract/environments'
import { on } from '../../http/routes/route.ts'
import { throwIfRefused } from '../../refusal.ts'
import { createEnvironment } from './create-environment.ts'
import { deleteEnvironment, previewEnvironmentDeletion } from './delete-environment.ts'
import { getEnvironment, listEnvironments } from './list-environments.ts'
import { changeRefusal } from './rules.ts'
import { refuseUpdateFirst, updateEnvironment } from './update-environment.ts'

export const environmentRoutes = [
  on(endpoints.listEnvironments, (ctx, { query }) => listEnvironments(ctx, query)),
  on(endpoints.createEnvironment, (ctx, { body }) => createEnvironment(ctx, body), {
    beforeBadBody: async (ctx) => throwIfRefused(changeRefusal(ctx.actor)),
  }),
  on(endpoints.getEnvironment, (ctx, { params, query }) => getEnvironment(ctx, params.environment_id, query.include)),
  on(endpoints.updateEnvironment, (ctx, { params, body }) => updateEnvironment(ctx, params.environment_id, body), {
    beforeBadBody: (ctx, params) => refuseUpdateFirst(ctx, params.environment_id),
  }),
  on(
    endpoints.deleteEnvironment,
    async (ctx, { params }) => void (await deleteEnvironment(ctx, params.environment_id)),
  ),
  on(endpoints.previewEnvironmentDeletion, (ctx, { params }) => previewEnvironmentDeletion(ctx, params.environment_id)),
]
