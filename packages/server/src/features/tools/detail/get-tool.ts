import type { Tool, ToolDefinition, ToolWithDefinitions } from '@mandate/contract/tools'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { notFound } from '../../../refusal.ts'
import { toolMay } from '../rules.ts'
import { toolAnswers } from '../tool-answer.ts'
import { findDefinitions, findTool } from '../tool-queries.ts'
import { findDeclared } from './declaration-queries.ts'
import { diffDefinitions } from './diff-definitions.ts'

/** @throws 404 for an unknown id, and for a tool of an environment that the caller does not see */
export async function getTool(ctx: Ctx<Member>, id: string, include?: Include): Promise<ToolWithDefinitions> {
  const { sql } = ctx
  const [row, stored, { declarations, hashes: declared_hashes }] = await Promise.all([
    findTool(sql, ctx.actor, id, ctx.now),
    findDefinitions(sql, id),
    findDeclared(sql, ctx.actor, id, ctx.now),
  ])
  if (!row) throw notFound('tool')
  const [tool] = await toolAnswers(ctx, sql, [row])
  const definitions = stored.map(({ definition, ...rest }) => ({
    ...rest,
    definition: JSON.parse(definition) as ToolDefinition['definition'],
    pinned: row.pins.includes(rest.hash),
  }))
  const declared_by = declarations.map(({ edge_id, edge_name, agent_id, agent_name, hash, pinned, reported_at }) => ({
    edge: edge_id === null ? null : { id: edge_id, name: edge_name },
    agent: agent_id === null ? null : { id: agent_id, name: agent_name },
    hash,
    pinned,
    reported_at,
  }))
  const diff = diffOf(row, definitions)
  return await toolMay.addTo(ctx, include, { ...(tool as Tool), declared_by, declared_hashes, definitions, diff })
}

interface Compared {
  latest_hash: string
  pins: readonly string[]
}

function diffOf({ latest_hash, pins }: Compared, definitions: readonly ToolDefinition[]) {
  if (pins.length === 0 || pins.includes(latest_hash)) return null
  const of = (hash: string | undefined) => definitions.find((one) => one.hash === hash)?.definition
  return diffDefinitions(of(pins[0]), of(latest_hash))
}
