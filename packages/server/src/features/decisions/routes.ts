import { decisionEndpoints as endpoints } from '@mandate/contract/decisions'
import { edgeEndpoints } from '@mandate/contract/edge'
import { on, Reply } from '../../http/route.ts'
import { createEdgeKey } from './create-edge-key.ts'
import { getDecision } from './get-decision.ts'
import { listDecisions } from './list-decisions.ts'
import { readReceipt } from './read-receipt.ts'
import { readTimeline } from './read-timeline.ts'
import { readUsage } from './read-usage.ts'
import { recordDecisions } from './record-decisions.ts'
import { replayDecision } from './replay-decision.ts'

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
