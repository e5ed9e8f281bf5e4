import { declaredArguments } from '@mandate/policy/declared-arguments'
import type { Guard } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { type MirroredArgument, mirroredArguments } from '../messages/mirrored-arguments.ts'
import { isObject } from '../messages/read-message.ts'
import { toolName } from './tool-name.ts'

/** The most entries of one list answer. The agent sees the first ones of a longer list. */
export const mostListed = 10_000

/** A tool of a server, by its name in policies. */
export interface OfferedTool {
  name: string
  mirrored: readonly MirroredArgument[]
  /** The arguments that the tool declares. Null or absent without a schema. */
  declared?: ReadonlySet<string> | null
}

/** A list of tools as the agent may see it, whether it differs from the original, and all tools that the server offered. */
export interface ToolList {
  message: JsonObject
  differs: boolean
  offered: OfferedTool[]
}

/**
 * Removes the tools that the policy always denies from a `tools/list` answer. Null if the message is not such an answer.
 * Recognizes the answer by its fields and not by its id, because it may be replayed on another stream. Keeps pages, cursors
 * and unknown fields. A public `cacheScope` becomes private, because the list is for one agent only. `offered` contains all
 * tools, also those after `mostListed`, because a call of a tool that is not listed is decided by its declared arguments too.
 */
export function filterTools(message: JsonValue, server: string, guard: Pick<Guard, 'mayShow'>): ToolList | null {
  if (!isObject(message) || !isObject(message.result) || !Array.isArray(message.result.tools)) return null
  const offered: OfferedTool[] = []
  const tools = message.result.tools.filter((tool, index) => {
    if (!isObject(tool) || typeof tool.name !== 'string') return false
    const name = toolName(server, tool.name)
    if (name === null) return false
    offered.push({ name, mirrored: mirroredArguments(tool), declared: declaredArguments(tool.inputSchema) })
    return index < mostListed && mayShow(guard, name)
  })
  const isPublic = message.result.cacheScope === 'public'
  const result = { ...message.result, tools, ...(isPublic && { cacheScope: 'private' }) }
  const differs = isPublic || tools.length < message.result.tools.length
  return { message: { ...message, result }, differs, offered }
}

function mayShow(guard: Pick<Guard, 'mayShow'>, name: string): boolean {
  try {
    return guard.mayShow(name)
  } catch {
    return false
  }
}
