import {
  type AgentReach,
  type AgentReachQuery,
  type ReachQuery,
  type ReachVerdict,
  reachVerdicts,
  type ToolReach,
} from '@mandate/contract/tools'
import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import { reachTool } from '@mandate/policy/evaluate-tool'
import { isToolName } from '@mandate/policy/tool-name'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { Pauses } from '../../../concurrency/pauses.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { notFound } from '../../../refusal.ts'
import { type InForce, policiesInForce } from '../../edge/profiles/profile-states.ts'
import { findTool } from '../tool-queries.ts'
import {
  findAgentPlace,
  findAgentsAfter,
  findReachedTool,
  findRunning,
  findToolsOf,
  type ReachedTool,
} from './reach-queries.ts'

/** Policies that one request reads have about this many bytes. */
const mostPolicyBytes = 4 * 1024 * 1024
/** Agents that one request looks at. */
const mostAgents = 500
const lowestId = '00000000-0000-0000-0000-000000000000'

/**
 * Returns what an agent may do with each known tool of its environment.
 * @throws 404, also if the running policy is asked for and is not known; 400 for a page token that this list did not return
 */
export async function getAgentReach(
  ctx: Ctx<Member>,
  id: string,
  { verdict, page_size: size, page_token: token, policy }: AgentReachQuery,
) {
  const { sql, actor, services } = ctx
  const place = await findAgentPlace(sql, actor, id)
  if (!place) throw notFound('agent')
  const context = `reach of agent ${id} page_token ${actor.tenantId}`
  const after = token === undefined ? '' : openPlace<string>(services.vault, context, token)
  const { agents } = await policiesInForce(sql, [id], mostPolicyBytes)
  const inForce = policy === 'running' ? await runningOf(ctx, agents[0]) : agents[0]
  const tools = place.environment_id === null ? [] : await findToolsOf(sql, place.environment_id, ctx.now)
  const decide = deciderOf(inForce)
  const counts = Object.fromEntries(reachVerdicts.map((one) => [one, 0])) as Record<ReachVerdict, number>
  const matching: ToolReach[] = []
  const pauses = new Pauses()
  for (const tool of tools) {
    const reached = decide(tool)
    counts[reached.verdict]++
    if (tool.tool > after && (verdict === undefined || reached.verdict === verdict) && matching.length <= size)
      matching.push({ tool_id: tool.id, tool: tool.tool, ...reached })
    await pauses.between()
  }
  const data = matching.slice(0, size)
  const next = matching.length > size ? data.at(-1)?.tool : undefined
  return { data, counts, ...(next !== undefined && { next_page_token: sealPlace(services.vault, context, next) }) }
}

/**
 * Returns which agents of its environment may call a tool, of those that the caller sees.
 * @throws 404; 400 for a page token that this list did not return
 */
export async function getToolReach(
  ctx: Ctx<Member>,
  id: string,
  { verdict, page_size: size, page_token: token }: ReachQuery,
) {
  const { sql, actor, services } = ctx
  const found = await findTool(sql, actor, id, ctx.now)
  if (!found) throw notFound('tool')
  const context = `reach of tool ${id} page_token ${actor.tenantId}`
  const after = token === undefined ? lowestId : openPlace<string>(services.vault, context, token)
  const [tool, rows] = await Promise.all([
    findReachedTool(sql, id, ctx.now),
    findAgentsAfter(sql, actor, found.environment_id, after, mostAgents + 1),
  ])
  const looked = rows.slice(0, mostAgents)
  const seen = looked.flatMap((row) => (row.is_seen ? [row.id] : []))
  const { agents, isWhole } = await policiesInForce(sql, seen, mostPolicyBytes)
  const compiled = new Map<string, CompiledPolicy>()
  const data: AgentReach[] = []
  const pauses = new Pauses()
  let last: string | undefined
  for (const inForce of agents) {
    if (data.length === size) break
    const reached = deciderOf(inForce, compiled)(tool)
    last = inForce.state.agent_id
    if (verdict === undefined || reached.verdict === verdict)
      data.push({ agent: { id: last, name: inForce.state.agent_name }, ...reached })
    await pauses.between()
  }
  const isLooked = isWhole && (agents.length === 0 || last === agents.at(-1)?.state.agent_id)
  const next = isLooked ? (rows.length > looked.length ? looked.at(-1)?.id : undefined) : (last ?? seen[0])
  return { data, ...(next !== undefined && { next_page_token: sealPlace(services.vault, context, next) }) }
}

/** Returns `inForce` with the policy version that an edge reported last. @throws 404 if it is not known */
async function runningOf({ sql, actor }: Ctx<Member>, inForce: InForce | undefined): Promise<InForce> {
  const running = inForce && (await findRunning(sql, actor, inForce.state.agent_id))
  if (!running) throw notFound('running policy')
  return { state: inForce.state, policy: running.snapshot }
}

/** Returns a function that decides what an agent may do with tools. `compiled` has the policies that other agents have too. */
export function deciderOf(inForce: InForce | undefined, compiled = new Map<string, CompiledPolicy>()) {
  const denied = { verdict: 'deny' as const, rules: [], default_may_decide: false }
  if (!inForce || inForce.policy === null) return () => denied
  const { state, policy } = inForce
  const key = `${state.policy_id} ${state.policy_version}`
  const ready = compiled.get(key) ?? compilePolicy(policy)
  compiled.set(key, ready)
  const caller = callerOf(inForce)
  const known = new Map(policy.rules.map(({ id, name, limit }) => [id, { id, name, ...(limit && { limit }) }]))
  return ({
    tool,
    closed,
    labels,
    state: toolState,
    declared_args: declaredArgs,
  }: ReachedTool): Pick<ToolReach, 'verdict' | 'rules' | 'default_may_decide'> => {
    if (closed || !isToolName(tool)) return denied
    const { verdict, rules, default_may_decide } = reachTool(ready, tool, {
      ...caller,
      inventory: { labels: new Set(labels), state: toolState },
      declaredArgs: declaredArgs && new Set(declaredArgs),
    })
    return { verdict, rules: rules.map((id) => known.get(id) ?? { id, name: '' }), default_may_decide }
  }
}

/** What conditions on `agent.` and `environment.` read at the edge. */
function callerOf({ state }: InForce) {
  const { agent_id: id, agent_name: name, status, environment_id, environment_name, environment_slug } = state
  return {
    agent: { id, name, status },
    environment:
      environment_id === null ? undefined : { id: environment_id, name: environment_name, slug: environment_slug },
  }
}
