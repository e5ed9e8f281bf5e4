import {
  mostBytesByAgents,
  mostDefinitionsOfAgent,
  mostInventoryBytes,
  mostTools,
  mostToolsByAgents,
  mostToolsOfAgent,
} from '@mandate/contract/tools'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Inventory } from '../inventory-queries.ts'

interface AgentUse {
  /** Tools that this agent added, and that no edge reported. */
  tools: number
  /** The same of all agents in the environment. */
  toolsOfAll: number
  /** Definitions that this agent added, and that no edge reported. */
  definitions: number
}

const use = `select
  (select count(*)::int from tools where tenant_id = $1 and environment_id = $2 and agent_id = $3) as tools,
  (select count(*)::int from tools where tenant_id = $1 and environment_id = $2 and agent_id is not null) as "toolsOfAll",
  (select count(*)::int from (select from tool_definitions where tenant_id = $1 and agent_id = $3 limit ${mostDefinitionsOfAgent}) d) as definitions`

const unlimited = Number.POSITIVE_INFINITY

/** How much a report may add to the inventory of an environment. */
export interface Room {
  tools: number
  definitions: number
  bytes: number
}

/**
 * Returns what a report may add to a locked inventory. An agent with its own key is less trusted than an edge: it, and all such agents together, may
 * add a part only. So agents never take the room of the tools that edges report.
 */
export async function roomFor(
  tx: Tx,
  environmentId: string,
  inventory: Inventory,
  agentId: string | null,
): Promise<Room> {
  const tools = mostTools - inventory.tools
  if (agentId === null) return { tools, definitions: unlimited, bytes: mostInventoryBytes - inventory.bytes }
  const used = await tx.one(raw<AgentUse>(use, [tx.tenantId, environmentId, agentId]))
  return {
    tools: Math.min(tools, mostToolsByAgents - used.toolsOfAll, mostToolsOfAgent - used.tools),
    definitions: mostDefinitionsOfAgent - used.definitions,
    bytes: mostBytesByAgents - inventory.bytes,
  }
}

/**
 * Returns the definitions for which there is room, in their order, and how many new tools and how many new definitions of known tools have none.
 */
export function admit<D extends { tool: string; text: string }>(
  definitions: readonly D[],
  isKnown: (tool: string) => boolean,
  room: Room,
): { admitted: D[]; refusedTools: number; refusedDefinitions: number } {
  const left = { ...room }
  const admitted: D[] = []
  let [refusedTools, refusedDefinitions] = [0, 0]
  for (const definition of definitions) {
    const isNew = !isKnown(definition.tool)
    const bytes = Buffer.byteLength(definition.text)
    if (left.definitions < 1 || left.bytes < bytes || (isNew && left.tools < 1)) {
      if (isNew) refusedTools++
      else refusedDefinitions++
      continue
    }
    admitted.push(definition)
    left.definitions--
    left.bytes -= bytes
    if (isNew) left.tools--
  }
  return { admitted, refusedTools, refusedDefinitions }
}
