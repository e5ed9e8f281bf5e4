import type { DenialReason } from '@mandate/contract/words/denial-words'
import type { SeenDefinition } from '../guard/tool-definition.ts'
import type { CurrentPins } from './environment-pins.ts'
import { lookAlikes } from './look-alikes.ts'

/** Why pins or a block stop the calls of a tool. */
export interface ToolRefusal {
  readonly because: DenialReason
  readonly reason: string
  /** True if the calls are denied in monitor mode too. */
  readonly isAlways: boolean
}

/**
 * Returns why the calls of a tool are denied, or null if pins and blocks do not stop them. Pins are about tools of MCP servers. While the edge does
 * not know the pins, it denies these tools in monitor mode too, because a tool may be blocked.
 */
export function refuseTool(pins: CurrentPins, tool: string, definition: SeenDefinition): ToolRefusal | null {
  if (pins === null || !isMcpTool(tool)) return null
  if (pins === 'unknown') return { ...unknownPins, isAlways: true }
  const known = pins.tools.get(tool)
  if (known?.isBlocked) return { ...blocked, isAlways: true }
  if (lookAlikes(pins, tool).some(({ isBlocked }) => isBlocked)) return { ...looksLikeBlocked, isAlways: true }
  if (pins.pinning !== 'enforce') return null
  const refusal = known ? refuseDefinition(known.pins, definition) : notPinned
  return refusal && { ...refusal, isAlways: false }
}

/** Whether the definition of a tool decides if its calls are denied. */
export function asksDefinition(pins: CurrentPins, tool: string): boolean {
  if (pins === null || pins === 'unknown' || pins.pinning !== 'enforce') return false
  const known = pins.tools.get(tool)
  return known !== undefined && !known.isBlocked && known.pins.size > 0
}

export const isMcpTool = (tool: string) => tool.startsWith('mcp:')

function refuseDefinition(pins: ReadonlySet<string>, definition: SeenDefinition) {
  if (pins.size === 0) return notPinned
  if (definition === null || definition === undefined) return unknownDefinition
  return pins.has(definition) ? null : changedDefinition
}

const unknownPins = {
  because: 'pins_unknown',
  reason: 'the edge cannot get the pins and blocks of tools from the control plane',
} as const
const blocked = { because: 'tool_blocked', reason: 'the tool is blocked: ask a manager to end the block' } as const
const looksLikeBlocked = {
  because: 'tool_blocked',
  reason: 'no definition of the tool is pinned, and its name looks like the name of a blocked tool',
} as const
const notPinned = {
  because: 'tool_not_pinned',
  reason: 'no definition of the tool is pinned, and this environment requires it: ask a manager to pin the tool',
} as const
const changedDefinition = {
  because: 'tool_definition_changed',
  reason: 'the tool server declares another definition of the tool than the pinned one: ask a manager to review it',
} as const
const unknownDefinition = {
  because: 'tool_definition_unknown',
  reason:
    'the edge could not get the definition of the tool from its server, and this environment requires a pinned one',
} as const
