import type { keptStates } from '@mandate/contract/words/policy-words'
import type { CompiledPolicy } from './evaluate.ts'
import { blocked, factsOf, lookUp, missing, type Path, parsePath } from './path.ts'
import { firstMatch } from './rule-index.ts'
import type { Call } from './types.ts'

/** What rules read of an argument: its value, or only whether it exists. */
export type ArgumentUse = 'value' | 'existence'

/**
 * Lists the paths, such as `args.path`, at which rules for the tool read arguments. Conditions on sessions, labels and limits are parts of these
 * rules, so their rules are included.
 */
export function argumentsRead(policy: CompiledPolicy, tool: string): ReadonlyMap<string, ArgumentUse> {
  const uses = new Map<string, ArgumentUse>()
  firstMatch(policy.index, tool, ({ conditions }) => {
    for (const { path, source, asksExistence } of conditions) {
      if (source === 'args' && uses.get(path) !== 'value') uses.set(path, asksExistence ? 'existence' : 'value')
    }
    return null
  })
  return uses
}

/** Stands for the value of an argument that exists and whose value is not known. */
export const unknownValue: unique symbol = Symbol('unknownValue')

/** What is known of the arguments of a call: what conditions find at some paths. Nothing is known of the other paths. */
export interface KnownArguments {
  /** Whether the call has an argument that its tool does not declare. */
  undeclared: boolean
  /** For each path its value, `missing`, `blocked` or `unknownValue`. */
  at: ReadonlyMap<string, unknown>
}

/** Looks up arguments of a call in the way in which conditions do. */
export function knownArguments(
  call: Pick<Call, 'tool' | 'args' | 'declaredArgs'>,
  paths: Iterable<string>,
): KnownArguments {
  const facts = factsOf({ agent: undefined, environment: undefined, ...call })
  const found = [...paths].map((path) => [path, lookUp(parsePath(path) as Path, facts)] as const)
  return { undeclared: facts.undeclared === true, at: new Map(found) }
}

/**
 * Leaves out of a value what no condition can read: the content of objects, and of lists in lists. Conditions on a value without scalars
 * have the same outcome for any content.
 */
export function comparablePart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (Array.isArray(item) ? [] : comparablePart(item)))
  return typeof value === 'object' && value !== null ? {} : value
}

/** What a record says about the value at a path of the arguments. */
export interface KeptArgument {
  path: string
  state: (typeof keptStates)[number]
  /** Undefined unless the state is `value`. */
  value?: unknown
}

/** Describes what conditions find at a path, for a record. */
export function keptArgument(path: string, found: unknown): KeptArgument {
  if (found === missing) return { path, state: 'absent' }
  if (found === blocked) return { path, state: 'unreachable' }
  if (found === unknownValue) return { path, state: 'not_kept' }
  return { path, state: 'value', value: comparablePart(found) }
}

/** The reverse of `keptArgument`, for each path of a record. */
export function recordedArguments(kept: readonly KeptArgument[], undeclared: boolean): KnownArguments {
  return { undeclared, at: new Map(kept.map(({ path, state, value }) => [path, foundOf(state, value)])) }
}

function foundOf(state: KeptArgument['state'], value: unknown): unknown {
  switch (state) {
    case 'absent':
      return missing
    case 'unreachable':
      return blocked
    case 'not_kept':
      return unknownValue
    case 'value':
      return value
  }
}
