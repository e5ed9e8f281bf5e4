import { undeclaredArgument } from './declared-arguments.ts'
import { parseToolName } from './pattern.ts'
import type { Call } from './types.ts'

const roots = ['args', 'agent', 'environment', 'tool'] as const
export type Root = (typeof roots)[number]

/** The names under `tool.`: the whole name, and its parts where it is well formed. */
export const toolFields = ['name', 'kind', 'namespace', 'operation'] as const

export type Path = { text: string; root: Root; keys: string[] }

/**
 * What conditions are asked about: the call, with its tool name taken apart. `undeclared`: it has an argument that its tool does
 * not declare, so that no condition on `args.` can be decided.
 */
export type Facts = Record<Root, unknown> & { undeclared?: boolean }

/** What stands for a path that leads nowhere; null and undefined are values a call may hold. */
export const missing: unique symbol = Symbol('missing')

const maxPathLength = 256

/** Reads `root.key.key…`; null when the root is unknown, a key is empty, or it is over 256 characters long. */
export function parsePath(text: unknown): Path | null {
  if (typeof text !== 'string' || text.length > maxPathLength) return null
  const [root, ...keys] = text.split('.')
  if (!roots.includes(root as Root) || keys.length === 0 || keys.includes('')) return null
  return { text, root: root as Root, keys }
}

export function factsOf(call: Call): Facts {
  const { tool, args, agent, environment, declaredArgs } = call
  const undeclared = undeclaredArgument(args, declaredArgs) !== null
  return { args, agent, environment, tool: { name: tool, ...parseToolName(tool) }, undeclared }
}

/** The value at the path, or `missing`. Own properties only, so that a prototype's are never seen. */
export function lookUp(path: Path, facts: Facts): unknown {
  let value = facts[path.root]
  for (const key of path.keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return missing
    // An array's length is a property of the runtime, not of the JSON the caller sent.
    if (key === 'length' && Array.isArray(value)) return missing
    value = (value as Record<string, unknown>)[key]
  }
  return value === undefined ? missing : value
}
