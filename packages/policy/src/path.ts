import { undeclaredArgument } from './declared-arguments.ts'
import { parseToolName } from './pattern.ts'
import type { Call } from './types.ts'

const roots = ['args', 'agent', 'environment', 'session', 'tool'] as const
type Root = (typeof roots)[number]

/**
 * The fields under `tool.`: the full name, the parts of the name if it is well formed, and what the inventory says of the tool.
 */
export const toolFields = ['name', 'kind', 'namespace', 'operation', 'labels', 'state'] as const

/** The fields under `session.`. */
export const sessionFields = ['labels', 'calls'] as const

/** Where the value of a condition comes from. `inventory` stands for `tool.labels` and `tool.state`. */
export type Source = Root | 'inventory'

export type Path = { text: string; source: Source; keys: string[] }

/**
 * The data that conditions test: the call, with its tool name split into parts. `undeclared` is true if the call has an argument that its
 * tool does not declare. Then no condition on `args.` can be decided.
 */
export type Facts = Record<Source, unknown> & {
  undeclared?: boolean
  /** If it is set, the arguments are known only at these paths. See `KnownArguments`. */
  known?: ReadonlyMap<string, unknown> | undefined
}

/** The result for a path through a value that has no fields, such as `args.file.path` if `args.file` is a text or a list. */
export const blocked: unique symbol = Symbol('blocked')

/** The result for a path that has no value. It is a separate symbol, because a call may contain null and undefined as values. */
export const missing: unique symbol = Symbol('missing')

const maxPathLength = 256

/** Parses `root.key.key…`. Returns null if the root is unknown, a key is empty, or the path has more than 256 characters. */
export function parsePath(text: unknown): Path | null {
  if (typeof text !== 'string' || text.length > maxPathLength) return null
  const [root, ...keys] = text.split('.')
  if (!roots.includes(root as Root) || keys.length === 0 || keys.includes('')) return null
  const isInInventory = root === 'tool' && (keys[0] === 'labels' || keys[0] === 'state')
  return { text, source: isInInventory ? 'inventory' : (root as Root), keys }
}

export function factsOf(call: Call): Facts {
  const { tool, args, agent, environment, session, inventory, declaredArgs } = call
  const undeclared = undeclaredArgument(args, declaredArgs) !== null
  return { args, agent, environment, session, inventory, tool: { name: tool, ...parseToolName(tool) }, undeclared }
}

/** Returns the value at the path, `missing` or `blocked`. Reads only own properties, so that conditions never see properties of a prototype. */
export function lookUp(path: Path, facts: Facts): unknown {
  if (facts.known !== undefined && path.source === 'args') {
    return facts.known.has(path.text) ? facts.known.get(path.text) : missing
  }
  let value = facts[path.source]
  for (const key of path.keys) {
    if (typeof value !== 'object' || value === null) return blocked
    // The length of an array is a property of JavaScript. The JSON that the caller sent does not contain it.
    if (Array.isArray(value) && (key === 'length' || !Object.hasOwn(value, key))) return blocked
    if (!Object.hasOwn(value, key)) return missing
    value = (value as Record<string, unknown>)[key]
  }
  return value === undefined ? missing : value
}
