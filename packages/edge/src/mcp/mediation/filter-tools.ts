import { mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { declaredArguments } from '@mandate/policy/declared-arguments'
import type { Guard } from '../../guard/guard.ts'
import type { Definition } from '../../guard/tool-definition.ts'
import { definitionOf } from '../../inventory/definition.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { type MirroredArgument, mirroredArguments } from '../messages/mirrored-arguments.ts'
import { fold, isObject } from '../messages/read-message.ts'

/** Maximum number of entries in one list answer. If a list is longer, the agent sees its first entries. */
export const mostListed = 10_000

/** A tool of a server, with the name that policies use. */
export interface OfferedTool {
  name: string
  mirrored: readonly MirroredArgument[]
  /** The arguments that the tool declares. Null or absent if the tool has no schema. */
  declared?: ReadonlySet<string> | null
  /** What the server declares for the tool. Null or absent if it cannot be reported or pinned. */
  definition?: Definition | null
}

/** The part of a tool list that the agent may see, whether that part differs from the original, and all tools that the server offered. */
export interface ToolList {
  message: JsonObject
  differs: boolean
  offered: OfferedTool[]
}

/**
 * Removes the tools that the policy, a pin or a block always denies from a `tools/list` answer. Returns null for any other message. Recognizes
 * the answer by its fields, not by its id, because the server may replay it on another stream. Changes a public `cacheScope` to
 * private, because the list is for one agent only. `offered` also contains the removed tools. The edge needs their declared
 * arguments, because the agent may call a tool that it cannot see in the list.
 */
export function filterTools(message: JsonValue, server: string, guard: Pick<Guard, 'mayList'>): ToolList | null {
  if (!isObject(message) || !isObject(message.result) || !Array.isArray(message.result.tools)) return null
  const offered: OfferedTool[] = []
  const listed = message.result.tools
  const plain = listed.map((tool) => (isObject(tool) ? withoutVariants(tool) : tool))
  // The agent sees one definition of a name, which is the one that is reported and pinned: the last one.
  const last = new Map(plain.map((tool, index) => [isObject(tool) ? tool.name : undefined, index]))
  const tools = plain.filter((tool, index) => {
    if (!isObject(tool) || typeof tool.name !== 'string' || last.get(tool.name) !== index) return false
    const name = mcpToolName(server, tool.name)
    if (name === null) return false
    const definition = index < mostListed ? definitionOf(tool) : null
    const declared = declaredArguments(tool.inputSchema)
    offered.push({ name, mirrored: mirroredArguments(tool), declared, definition })
    return index < mostListed && mayList(guard, name, definition?.hash ?? null, declared)
  })
  const isPublic = message.result.cacheScope === 'public'
  const result = { ...message.result, tools, ...(isPublic && { cacheScope: 'private' }) }
  const isChanged = plain.some((tool, index) => tool !== listed[index])
  const differs = isPublic || isChanged || tools.length < listed.length
  return { message: { ...message, result }, differs, offered }
}

function mayList(guard: Pick<Guard, 'mayList'>, ...tool: Parameters<Guard['mayList']>): boolean {
  try {
    return guard.mayList(...tool)
  } catch {
    return false
  }
}

const fields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']
const foldedFields: ReadonlySet<string> = new Set(fields.map(fold))
const longestVariant = 50

/**
 * Removes fields such as `Description`, whose name differs from a field of the definition only in letter case or Unicode form. Pins do not cover
 * such a field, but a client that ignores letter case would read it in place of the pinned one.
 */
function withoutVariants(tool: JsonObject): JsonObject {
  const isVariant = (key: string) =>
    key.length <= longestVariant && !fields.includes(key) && foldedFields.has(fold(key))
  if (!Object.keys(tool).some(isVariant)) return tool
  return Object.fromEntries(Object.entries(tool).filter(([key]) => !isVariant(key)))
}
