import type { Tool, ToolConditions, ToolFilters } from '@mandate/contract/tools'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { toolMay } from '../rules.ts'
import { toolAnswers } from '../tool-answer.ts'
import { findTools, type ToolFilter, type ToolPlace } from '../tool-queries.ts'

/**
 * Returns a page of the tools in the environments that the caller sees.
 * @throws 400 for a page token that this list did not return
 */
export async function listTools(
  ctx: Ctx<Member>,
  { page_size: size, page_token: token, include, ...given }: ToolFilters,
): Promise<{ data: Tool[]; next_page_token?: string }> {
  const { actor, services, sql, now } = ctx
  const context = `tools page_token ${actor.tenantId}`
  const after = token === undefined ? undefined : openPlace<ToolPlace>(services.vault, context, token)
  const { tools, next } = await findTools(sql, actor, toolFilter(given), { after, size, now })
  const data = await toolMay.addToAll(ctx, include, await toolAnswers(ctx, sql, tools))
  return { data, ...(next && { next_page_token: sealPlace(services.vault, context, next) }) }
}

export const toolFilter = (given: ToolConditions): ToolFilter => ({
  search: given.search ?? null,
  state: given.state ?? null,
  server: given.server ?? null,
  label: given.label ?? null,
  warning: given.warning ?? null,
  environmentId: given.environment_id ?? null,
  agentId: given.agent_id ?? null,
})
