import { toolEndpoints as endpoints } from '@mandate/contract/tools'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { on } from '../../http/routes/route.ts'
import { blockTool, labelTool, pinTool, refuseUnknown, unblockTool, unpinTool } from './change/change-tool.ts'
import { getTool } from './detail/get-tool.ts'
import { countTools } from './list/count-tools.ts'
import { listTools } from './list/list-tools.ts'
import { getPins } from './pins/get-pins.ts'
import { getAgentReach, getToolReach } from './reach/reach.ts'
import { reportTools } from './report/report-tools.ts'

const knownTool = {
  beforeBadBody: (ctx: Ctx<Member>, params: { tool_id: string }) => refuseUnknown(ctx, params.tool_id),
}

export const toolRoutes = [
  on(endpoints.listTools, (ctx, { query }) => listTools(ctx, query)),
  on(endpoints.getToolFacets, (ctx, { query }) => countTools(ctx, query)),
  on(endpoints.getTool, (ctx, { params, query }) => getTool(ctx, params.tool_id, query.include)),
  on(endpoints.pinTool, (ctx, { params, body }) => pinTool(ctx, params.tool_id, body), knownTool),
  on(endpoints.unpinTool, (ctx, { params }) => unpinTool(ctx, params.tool_id)),
  on(endpoints.blockTool, (ctx, { params, body }) => blockTool(ctx, params.tool_id, body.reason), knownTool),
  on(endpoints.unblockTool, (ctx, { params }) => unblockTool(ctx, params.tool_id)),
  on(endpoints.labelTool, (ctx, { params, body }) => labelTool(ctx, params.tool_id, body.labels), knownTool),
  on(endpoints.getAgentReach, (ctx, { params, query }) => getAgentReach(ctx, params.agent_id, query)),
  on(endpoints.getToolReach, (ctx, { params, query }) => getToolReach(ctx, params.tool_id, query)),
  on(endpoints.reportTools, (ctx, { body }) => reportTools(ctx, body)),
  on(endpoints.getPins, (ctx, { query }) => getPins(ctx, query)),
]
