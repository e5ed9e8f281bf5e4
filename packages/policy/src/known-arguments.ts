import type { keptStates } from '@mandate/contract/words/policy-words'
import type { CompiledPolicy } from './evaluate.ts'
import { blocked, factsOf, lookUp, missing, type Path, parsePath } from './path.ts'
import { firstMatch } from './rule-index.ts'
import type { Call } from './types.ts'

/** What rules read of an argument: its value, or only whether it exists. */
export type ArgumentUse = 'value' | 'existence'

/**
 * Returns the paths of the arguments, such as `args.path`, that conditions of the rules for a tool read. Includes rules that also have a limit, or
 * conditions on the session.
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

/** The known part of the arguments of a call: the values at some paths. The values at other paths are not known. */
export interface KnownArguments {
  /** Whether the call has an argument that its tool does not declare. */
  undeclared: boolean
  /** For each path its value, `missing`, `blocked` or `unknownValue`. */
  at: ReadonlyMap<string, unknown>
}

/** Looks up the values at paths, as conditions do. */
export function knownArguments(
  call: Pick<Call, 'tool' | 'args' | 'declaredArgs'>,
  paths: Iterable<string>,
): KnownArguments {
  const facts = factsOf({ agent: undefined, environment: undefined, ...call })
  const found = [...paths].map((path) => [path, lookUp(parsePath(path) as Path, facts)] as const)
  return { undeclared: facts.undeclared === true, at: new Map(found) }
}

/**
 * Removes the content of objects, and of lists in lists. No condition can read it: a condition on such a value has the same outcome for any
 * content.
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
