import { undeclaredArgument } from './declared-arguments.ts'
import { parseToolName } from './pattern.ts'
import type { Call } from './types.ts'

const roots = ['args', 'agent', 'environment', 'tool'] as const
export type Root = (typeof roots)[number]

/** The fields under `tool.`: the full name, and its parts if the name is well formed. */
export const toolFields = ['name', 'kind', 'namespace', 'operation'] as const

export type Path = { text: string; root: Root; keys: string[] }

/**
 * The data that conditions test: the call, with its tool name split into parts. `undeclared` is true if the call has an argument that its
 * tool does not declare; then no condition on `args.` can be decided.
 */
export type Facts = Record<Root, unknown> & { undeclared?: boolean }

/** Result for a path without a value. A separate symbol, because a call may contain null and undefined. */
export const missing: unique symbol = Symbol('missing')

const maxPathLength = 256

/** Parses `root.key.key…`. Returns null if the root is unknown, a key is empty, or the path has more than 256 characters. */
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

/** Returns the value at the path, or `missing`. Reads only own properties, so that a prototype's properties are invisible. */
export function lookUp(path: Path, facts: Facts): unknown {
  let value = facts[path.root]
  for (const key of path.keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return missing
    // An array's length is a property of JavaScript, not of the JSON that the caller sent.
    if (key === 'length' && Array.isArray(value)) return missing
    value = (value as Record<string, unknown>)[key]
  }
  return value === undefined ? missing : value
}
