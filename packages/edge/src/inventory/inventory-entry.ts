import type { ToolState } from '@mandate/contract/words/tool-words'
import { type InventoryEntry, unknownTool } from '@mandate/policy/types'
import type { SeenDefinition } from '../guard/tool-definition.ts'
import type { CurrentPins } from './environment-pins.ts'
import { lookAlikes } from './look-alikes.ts'
import type { PinSet, ToolPins } from './pin-set.ts'
import { isMcpTool } from './refuse-tool.ts'

const noLabels: ReadonlySet<string> = new Set()

/**
 * Returns what the inventory says of a tool, for conditions on `tool.labels` and `tool.state`. Returns undefined in two cases: the edge does not have
 * the inventory, or the name looks like the name of a tool with other labels. Such conditions are then errors.
 */
export function inventoryEntry(
  pins: CurrentPins,
  tool: string,
  definition: SeenDefinition,
): InventoryEntry | undefined {
  if (pins === 'unknown') return isMcpTool(tool) ? undefined : unknownTool
  if (pins === null) return unknownTool
  const known = pins.tools.get(tool)
  const alike = isMcpTool(tool) ? lookAlikes(pins, tool) : []
  if (alike.some(({ labels }) => [...labels].some((label) => !known?.labels.has(label)))) return undefined
  return known ? { labels: known.labels, state: stateOf(known, definition) } : unknownTool
}

/**
 * Returns the labels that the inventory gives to the tools, and to tools whose names look like theirs. No labels if the edge does not have the
 * inventory.
 */
export function labelsOfTools(pins: CurrentPins, tools: readonly string[]): ReadonlySet<string> {
  if (pins === null || pins === 'unknown') return noLabels
  const found = tools.flatMap((tool) => [pins.tools.get(tool), ...(isMcpTool(tool) ? lookAlikes(pins, tool) : [])])
  return new Set(found.flatMap((one) => [...(one?.labels ?? [])]))
}

/** Returns the labels that the inventory gives to all tools of an MCP server. */
export function labelsOfServer(pins: CurrentPins, server: string): ReadonlySet<string> {
  if (pins === null || pins === 'unknown') return noLabels
  return serverLabels(pins).get(server) ?? noLabels
}

const labelsByServer = new WeakMap<PinSet, ReadonlyMap<string, ReadonlySet<string>>>()

function serverLabels(pins: PinSet): ReadonlyMap<string, ReadonlySet<string>> {
  const known = labelsByServer.get(pins)
  if (known) return known
  const byServer = new Map<string, Set<string>>()
  for (const [tool, { labels }] of pins.tools) {
    const server = serverOf(tool)
    if (server === null) continue
    const ofServer = byServer.get(server) ?? new Set()
    byServer.set(server, ofServer)
    for (const label of labels) ofServer.add(label)
  }
  labelsByServer.set(pins, byServer)
  return byServer
}

/** Returns the MCP server of a tool, a resource or a prompt. Null for tools of another kind. */
export function serverOf(name: string): string | null {
  return /^(?:mcp|resource|prompt):([^/]+)\//.exec(name)?.[1] ?? null
}

/** Whether the inventory has a tool. */
export function isKnownTool(pins: CurrentPins, tool: string): boolean {
  return pins !== null && pins !== 'unknown' && pins.tools.has(tool)
}

/** Whether the inventory has tools of an MCP server. */
export function isKnownServer(pins: CurrentPins, server: string): boolean {
  return pins !== null && pins !== 'unknown' && serverLabels(pins).has(server)
}

function stateOf({ isBlocked, pins }: ToolPins, definition: SeenDefinition): ToolState | undefined {
  if (isBlocked) return 'blocked'
  if (pins.size === 0) return 'new'
  if (definition === undefined) return undefined
  return definition !== null && pins.has(definition) ? 'pinned' : 'changed'
}
