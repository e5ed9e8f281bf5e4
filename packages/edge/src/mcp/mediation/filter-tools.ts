import { declaredArguments } from '@mandate/policy/declared-arguments'
import type { Guard } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { type MirroredArgument, mirroredArguments } from '../messages/mirrored-arguments.ts'
import { isObject } from '../messages/read-message.ts'
import { toolName } from './tool-name.ts'

/** Entries that a list of a tool server may have in one answer; of longer lists the agent sees the beginning. */
export const mostListed = 10_000

/** A tool of a server's, by the name that policies know it by. */
export interface OfferedTool {
  name: string
  mirrored: readonly MirroredArgument[]
  /** The arguments that it declares; null or absent where it has no schema. */
  declared?: ReadonlySet<string> | null
}

/** A list of tools as the agent may see it, whether that differs from what the server sent, and all the server offered. */
export interface ToolList {
  message: JsonObject
  differs: boolean
  offered: OfferedTool[]
}

/**
 * Takes from a `tools/list` answer the tools whose every call would be stopped; null where the message is no such answer.
 * An answer is known by its shape, not by its id, so that one replayed on another stream is filtered too. Pages, cursors
 * and everything unknown stay; what is shown to one agent is not to be cached for another. `offered` names all tools, also those
 * beyond `mostListed`: a call of a tool that is not listed is decided by the arguments that it declares, too.
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
