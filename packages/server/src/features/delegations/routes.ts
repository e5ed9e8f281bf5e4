import { delegationEndpoints as endpoints } from '@mandate/contract/delegations'
import { on } from '../../http/routes/route.ts'
import { createDelegation, refuseBefore } from './create-delegation.ts'
import { delegateOn } from './delegate-on.ts'
import { getEndedDelegations } from './get-ended.ts'
import { listDelegations } from './list-delegations.ts'
import { revokeDelegation } from './revoke-delegation.ts'

export const delegationRoutes = [
  on(endpoints.listDelegations, (ctx, { query }) => listDelegations(ctx, query)),
  on(endpoints.createDelegation, (ctx, { body }) => createDelegation(ctx, body), {
    beforeBadBody: (ctx, _params, rawBody) => refuseBefore(ctx, rawBody),
  }),
  on(endpoints.revokeDelegation, (ctx, { params }) => revokeDelegation(ctx, params.delegation_id)),
  on(endpoints.delegateOn, (ctx, { body }) => delegateOn(ctx, body)),
  on(endpoints.getEndedDelegations, (ctx, { query }) => getEndedDelegations(ctx, query.since)),
]
