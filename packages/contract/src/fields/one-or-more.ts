import { z } from 'zod'
import { declaredBounds } from './bounds.ts'
import { oneOf } from './fields.ts'

/**
 * A query parameter that may be repeated, and whose value may list several words, separated by commas. The result has no
 * duplicates. `text` describes the parameter for the API document.
 */
export function oneOrMore<const V extends readonly [string, ...string[]]>(values: V, text: string) {
  const words: ReadonlySet<string> = new Set(values)
  const error = `must be one or more of ${values.join(', ')}`
  return z
    .union([z.string().max(maxCharacters), z.array(z.string().max(maxCharacters)).max(maxValues)], { error })
    .register(declaredBounds, { maxValues, text: error })
    .transform((value) => [...new Set([value].flat().flatMap((each) => each.split(',')))])
    .refine((asked): asked is V[number][] => asked.every((word) => words.has(word)), { error, abort: true })
    .transform((asked) => asked as V[number][])
    .optional()
    .describe(text)
    .meta({ type: 'array', items: { type: 'string', enum: [...values] } })
}

const maxValues = 20
const maxCharacters = 100

/** The query parameter `mine` of lists whose rows wait for a person. */
export const mine = oneOf(['true', 'false'])
  .optional()
  .transform((value) => value === 'true')
  .describe('`true`: only the rows that the caller could decide now.')
