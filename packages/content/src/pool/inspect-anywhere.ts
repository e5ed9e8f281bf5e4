import type { CompiledContent, CompiledSide } from '../compile-content.ts'
import type { ContentRules, ContentSide } from '../definition.ts'
import type { JsonValue } from '../inspect/embedded-text.ts'
import { type Inspection, inspect, maxTextBytes, notInspected } from '../inspect/inspect.ts'
import { type NumberSource, textsOfNumber } from '../inspect/number-texts.ts'
import type { ContentPool } from './content-pool.ts'
import { PoolBusy, TookTooLong } from './pool-errors.ts'

/** Maximum number of characters that are searched at once on the event loop. */
const mostAtOnce = 16_384
/** The same for patterns that may be slow: characters times patterns. */
const mostSlowAtOnce = 8_192
/** The same for patterns of words, which are faster. */
const mostWordsAtOnce = 524_288
/** A shorter value costs as much as one with so many characters. */
const leastCharacters = 64

export interface InspectRequest {
  readonly rules: ContentRules
  readonly compiled: CompiledContent
  readonly side: ContentSide
  readonly value: JsonValue
  /** Values that are inspected too, and in which nothing can be redacted. */
  readonly unchangeable?: readonly JsonValue[]
  readonly masks?: boolean
  /** Where the digits of integers above 2^53 are. */
  readonly numbers?: NumberSource | undefined
  /** Whose value it is. The pool and the event loop are fair to owners. */
  readonly owner: string
}

/**
 * Inspects a value on the event loop if it is short, and in a worker thread otherwise. The answer is synchronous for a short value, unless many
 * values come at once. Null if nothing is bound. A search that takes too long counts as not inspected.
 * @throws PoolBusy, SearchFailed (as rejections)
 */
export function startInspection(request: InspectRequest, pool: ContentPool): Inspection | Promise<Inspection> | null {
  const { rules, compiled, side, value, unchangeable = [], masks = false, numbers, owner } = request
  const bound = compiled[side]
  if (bound === null) return null
  const most = mostOnLoop(bound)
  const length = lengthUpTo([value, ...unchangeable], maxTextBytes * 2, numbers)
  if (length > most) {
    return pool
      .run({ kind: 'inspect', rules, side, value, unchangeable, masks, numbers }, owner)
      .catch((error: unknown) => rethrowUnlessSlow(error))
  }
  const now = () => inspect(bound, value, { unchangeable, masks, numbers })
  const share = Math.max(length, Math.min(leastCharacters, most)) / most
  return pool.loop.run(share, owner, now)
}

/** Like `startInspection`, but never throws: a value whose inspection fails counts as not inspected. */
export function inspectAnywhere(request: InspectRequest, pool: ContentPool): Inspection | Promise<Inspection> | null {
  const found = startInspection(request, pool)
  if (!(found instanceof Promise)) return found
  return found.catch((error: unknown) =>
    notInspected(error instanceof PoolBusy ? 'too many texts wait for their inspection' : 'the search failed'),
  )
}

function rethrowUnlessSlow(error: unknown): Inspection {
  if (error instanceof TookTooLong) return notInspected('the search took too long')
  throw error
}

/** Returns how many characters are searched at once on the event loop. */
function mostOnLoop({ bound }: CompiledSide): number {
  const slow = bound.filter(({ pattern }) => pattern.isSlow).length
  const words = bound.filter(({ pattern }) => pattern.definition.kind === 'words').length
  return Math.min(mostAtOnce, slow === 0 ? mostAtOnce : mostSlowAtOnce / slow, mostWordsAtOnce / Math.max(1, words))
}

/** Each value costs at least as much as this number of characters. */
const leastOfValue = 8

/** Returns the number of characters in a value, or a larger number than `most` if it has more. */
function lengthUpTo(values: readonly JsonValue[], most: number, numbers: NumberSource | undefined): number {
  const left: JsonValue[] = [...values]
  let length = 0
  while (left.length > 0 && length <= most) {
    const value = left.pop() as JsonValue
    length += Math.max(leastOfValue, charactersOf(value, numbers))
    if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        length += key.length
        left.push(item)
      }
  }
  return length
}

/** Returns the number of characters that are searched for a text or a number. */
function charactersOf(value: JsonValue, numbers: NumberSource | undefined): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'number') return 0
  return (textsOfNumber(value, numbers) ?? []).reduce((sum, text) => sum + text.length, 0)
}
