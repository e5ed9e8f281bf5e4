import { agentEndpoints as endpoints } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { refuseBadPlacement } from '../../caller/place-in-environment.ts'
import { on, RawJson } from '../../http/routes/route.ts'
import { archiveAgent } from './change/archive-agent.ts'
import { assignPolicy } from './change/assign-policy.ts'
import { changeAgents } from './change/change-agents.ts'
import { changeLifecycle, refuseLifecycleChange } from './change/change-lifecycle.ts'
import { createAgent } from './change/create-agent.ts'
import { rotateAgentKey } from './change/rotate-agent-key.ts'
import { suppressAgent } from './change/suppress-agent.ts'
import { resumeAgent, suspendAgent } from './change/suspend-agent.ts'
import { updateAgent } from './change/update-agent.ts'
import { countFacets } from './list/count-facets.ts'
import { getAgent, getExecutionCoverage, isLongList, listAgents } from './list/read-agents.ts'
import { requireAgent } from './require-agent.ts'
import { readTimeline } from './timeline/read-timeline.ts'

const json = async (text: Promise<string>) => new RawJson(await text)

const jsonWithKey = async (answer: Promise<{ agentJson: string; agentKey: string }>) => {
  const { agentJson, agentKey } = await answer
  return new RawJson(`{"agent":${agentJson},"agent_key":"${agentKey}"}`)
}

type Params = { agent_id: string }
const mustSee = (ctx: Ctx<Member>, { agent_id }: Params) => requireAgent(ctx.sql, ctx.actor, agent_id)

/** A field of a body that is not validated yet. */
const fieldOf = (body: unknown, name: string) => (body as Record<string, unknown> | null | undefined)?.[name]

export const agentRoutes = [
  on(endpoints.listAgents, (ctx, { query }) => json(listAgents(ctx, query)), {
    readsAhead: (query, actor) => query.include === undefined && !isLongList(actor, query),
  }),
  on(endpoints.getAgentFacets, (ctx, { query }) => countFacets(ctx, query)),
  on(endpoints.getAgentTimeline, (ctx, { params, query }) => readTimeline(ctx, params.agent_id, query)),
  on(endpoints.changeAgents, (ctx, { body }) => changeAgents(ctx, body)),
  on(endpoints.createAgent, (ctx, { body }) => jsonWithKey(createAgent(ctx, body)), {
    beforeBadBody: (ctx, _params, rawBody) => refuseBadPlacement(ctx, rawBody),
  }),
  on(endpoints.getAgent, (ctx, { params, query }) => json(getAgent(ctx, params.agent_id, query)), {
    readsAhead: ({ include }) => include === undefined,
  }),
  on(endpoints.updateAgent, (ctx, { params, body }) => json(updateAgent(ctx, params.agent_id, body)), {
    beforeBadBody: mustSee,
  }),
  on(endpoints.archiveAgent, (ctx, { params }) => archiveAgent(ctx, params.agent_id)),
  on(endpoints.assignPolicy, (ctx, { params, body }) => json(assignPolicy(ctx, params.agent_id, body.policy_id)), {
    beforeBadBody: mustSee,
  }),
  on(endpoints.changeLifecycle, (ctx, { params, body }) => json(changeLifecycle(ctx, params.agent_id, body)), {
    beforeBadBody: (ctx, { agent_id }, rawBody) =>
      refuseLifecycleChange(ctx, agent_id, fieldOf(rawBody, 'lifecycle_status')),
  }),
  on(endpoints.suppressAgent, (ctx, { params }) => suppressAgent(ctx, params.agent_id)),
  on(endpoints.suspendAgent, (ctx, { params, body }) => json(suspendAgent(ctx, params.agent_id, body)), {
    beforeBadBody: mustSee,
  }),
  on(endpoints.resumeAgent, (ctx, { params, body }) => json(resumeAgent(ctx, params.agent_id, body)), {
    beforeBadBody: mustSee,
  }),
  on(endpoints.rotateAgentKey, (ctx, { params }) => jsonWithKey(rotateAgentKey(ctx, params.agent_id))),
  on(endpoints.getExecutionCoverage, (ctx, { params }) => json(getExecutionCoverage(ctx, params.agent_id))),
]
