import { freezeEndpoints as endpoints } from '@mandate/contract/freezes'
import { on, Reply } from '../../http/routes/route.ts'
import { createFreeze, refuseFreeze } from './change/create-freeze.ts'
import { liftFreeze, refuseLift } from './change/lift-freeze.ts'
import { previewFreeze } from './change/preview-freeze.ts'
import { listFreezeEdges } from './list/list-freeze-edges.ts'
import { getFreeze, listFreezes } from './read-freezes.ts'

export const freezeRoutes = [
  on(endpoints.previewFreeze, (ctx, { query }) => previewFreeze(ctx, query)),
  on(endpoints.createFreeze, async (ctx, { body }) => new Reply(await createFreeze(ctx, body), { status: 201 }), {
    beforeBadBody: (ctx, _params, rawBody) => refuseFreeze(ctx, rawBody),
  }),
  on(endpoints.listFreezes, (ctx, { query }) => listFreezes(ctx, query)),
  on(endpoints.getFreeze, (ctx, { params, query }) => getFreeze(ctx, params.freeze_id, query.include)),
  on(endpoints.listFreezeEdges, (ctx, { params, query }) => listFreezeEdges(ctx, params.freeze_id, query)),
  on(endpoints.liftFreeze, (ctx, { params, body }) => liftFreeze(ctx, params.freeze_id, body.reason), {
    beforeBadBody: (ctx, { freeze_id }) => refuseLift(ctx, freeze_id),
  }),
]
