import { decisionEndpoints as endpoints } from '@mandate/contract/decisions'
import { edgeEndpoints } from '@mandate/contract/edge'
import { on, Reply } from '../../http/routes/route.ts'
import { readTimeline } from './counts/read-timeline.ts'
import { readUsage } from './counts/read-usage.ts'
import { getDecision } from './list/get-decision.ts'
import { listDecisions } from './list/list-decisions.ts'
import { readReceipt } from './receipts/read-receipt.ts'
import { replayDecision } from './replay/replay-decision.ts'
import { createEdgeKey } from './store/create-edge-key.ts'
import { recordDecisions } from './store/record-decisions.ts'

export const decisionRoutes = [
  on(edgeEndpoints.createEdgeKey, (ctx, { body }) => createEdgeKey(ctx, body.public_key_pem)),
  on(edgeEndpoints.recordDecisions, (ctx, { body }) => recordDecisions(ctx, body)),
  on(endpoints.listDecisions, (ctx, { query }) => listDecisions(ctx, query)),
  on(endpoints.getDecisionTimeline, (ctx, { query }) => readTimeline(ctx, query)),
  on(endpoints.getDecision, (ctx, { params }) => getDecision(ctx, params.decision_id)),
  on(endpoints.getDecisionReceipt, async (ctx, { params: { decision_id: id } }) => {
    const headers = { 'content-disposition': `attachment; filename="decision-${id}.json"` }
    return new Reply(await readReceipt(ctx, id), { headers })
  }),
  on(endpoints.replayDecision, (ctx, { params }) => replayDecision(ctx, params.decision_id)),
  on(endpoints.getUsage, (ctx, { query }) => readUsage(ctx, query)),
]
