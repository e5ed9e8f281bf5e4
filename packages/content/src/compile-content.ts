import { contentActions, contentSides } from '@mandate/contract/words/content-words'
import { type CompiledPattern, compilePattern } from './compile-pattern.ts'
import type { Binding, ContentAction, ContentRules, ContentSide } from './definition.ts'

/** A pattern that is bound, and what the policy does about its matches. */
export interface BoundPattern {
  readonly pattern: CompiledPattern
  readonly redacts: boolean
  /** The labels that a match gives to the session. */
  readonly labels: readonly string[]
  /** The strictest of the bound actions. Decisions name it. */
  readonly strictest: ContentAction
}

/** What is bound for the arguments of calls, or for their results. Null if nothing is bound. */
export interface CompiledSide {
  readonly side: ContentSide
  readonly bound: readonly BoundPattern[]
  /** Applies to what cannot be inspected. */
  readonly strictest: ContentAction
  /** The labels of all bindings. What cannot be inspected gives them all. */
  readonly labels: readonly string[]
}

export interface CompiledContent {
  readonly version: number
  readonly arguments: CompiledSide | null
  readonly results: CompiledSide | null
}

/** Thrown if content rules cannot be used. The message names what is wrong. */
export class InvalidContent extends Error {
  override readonly name = 'InvalidContent'
}

/** Compiles the content rules of a policy. @throws InvalidContent */
export function compileContent({ version, bindings, patterns }: ContentRules): CompiledContent {
  const known = new Set(patterns.map(({ id }) => id))
  for (const binding of bindings) checkBinding(binding, known)
  const compiled = patterns.map(compileNamed)
  const [args, results] = contentSides.map((side) =>
    compileSide(
      side,
      bindings.filter(({ on }) => on === side),
      compiled,
    ),
  )
  return { version, arguments: args ?? null, results: results ?? null }
}

function checkBinding({ pattern_id, group, on, action, label }: Binding, known: ReadonlySet<string>): void {
  if (!contentSides.includes(on)) throw new InvalidContent(`unknown place ${JSON.stringify(on)}`)
  if (!contentActions.includes(action)) throw new InvalidContent(`unknown action ${JSON.stringify(action)}`)
  if ((pattern_id === undefined) === (group === undefined))
    throw new InvalidContent('a binding names no pattern and no group')
  if (pattern_id !== undefined && !known.has(pattern_id))
    throw new InvalidContent(`the pattern ${pattern_id} is missing`)
  if (action === 'label' && label === undefined) throw new InvalidContent('a binding names no label')
}

function compileNamed(definition: ContentRules['patterns'][number]): CompiledPattern {
  try {
    return compilePattern(definition)
  } catch (error) {
    throw new InvalidContent(`pattern ${JSON.stringify(definition.name)}: its expression ${(error as Error).message}`)
  }
}

const strictestOf = (actions: readonly ContentAction[]) =>
  actions.reduce((one, other) => (contentActions.indexOf(other) > contentActions.indexOf(one) ? other : one))

function compileSide(
  side: ContentSide,
  bindings: readonly Binding[],
  compiled: readonly CompiledPattern[],
): CompiledSide | null {
  if (bindings.length === 0) return null
  const bound = compiled.flatMap((pattern) => {
    const { id, group } = pattern.definition
    const own = bindings.filter((binding) => binding.pattern_id === id || binding.group === group)
    if (own.length === 0) return []
    const actions = own.map(({ action }) => action)
    return [{ pattern, redacts: actions.includes('redact'), labels: labelsOf(own), strictest: strictestOf(actions) }]
  })
  return { side, bound, strictest: strictestOf(bindings.map(({ action }) => action)), labels: labelsOf(bindings) }
}

function labelsOf(bindings: readonly Binding[]): string[] {
  return [
    ...new Set(bindings.flatMap(({ action, label }) => (action === 'label' && label !== undefined ? [label] : []))),
  ]
}
