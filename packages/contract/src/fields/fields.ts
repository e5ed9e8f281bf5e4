import { z } from 'zod'
import { isAddress } from './address-key.ts'
import { declaredBounds } from './bounds.ts'
import { uuidPattern } from './is-uuid.ts'
import { isLonger, isShorter } from './text-length.ts'
import { parseDay, parseTime } from './time.ts'
import { isInTimeRange, outOfTimeRange } from './time-range.ts'

const storable = (text: string) => text.isWellFormed() && !text.includes('\0')

/** A string that PostgreSQL can store: `min` to `max` code points, without NUL or unpaired surrogates. */
export function text({ min = 0, max = 10_000 }: { min?: number; max?: number } = {}) {
  return z
    .string()
    .refine(storable, { error: 'must not contain NUL or unpaired surrogates', abort: true })
    .refine((value) => !isShorter(value, min), {
      error: min === 1 ? 'must not be empty' : `must be at least ${min} characters`,
      abort: true,
    })
    .refine((value) => !isLonger(value, max), { error: `must be at most ${max} characters`, abort: true })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

/** A string that is trimmed and must not be blank. */
export function name({ max = 200 }: { max?: number } = {}) {
  return text({ max: 10_000 })
    .transform((value) => value.trim())
    .refine((value) => value.length > 0, { error: 'must not be blank', abort: true })
    .refine((value) => !isLonger(value, max), { error: `must be at most ${max} characters` })
    .meta({ minLength: 1, maxLength: max })
}

/** A UUID of any version, converted to lower case. */
export const uuid = z
  .string()
  .regex(uuidPattern, { error: 'must be a UUID', abort: true })
  .register(declaredBounds, { maxLength: 36, text: 'must be a UUID' })
  .transform((value) => value.toLowerCase())
  .meta({ format: 'uuid' })

/**
 * A trimmed email address, in any script: one `@`, no white space or invisible character, and a domain with a dot. To compare two
 * addresses, compare their `addressKey`.
 */
export const email = text({ max: 320 })
  .transform((value) => value.trim())
  .refine(isAddress, { error: 'must be an email address' })
  .meta({
    format: 'idn-email',
    description: 'Address of the person, at most 320 characters. White space around it is removed.',
  })

const notATimestamp = 'must be an ISO 8601 date or time, such as 2026-01-31T09:00:00Z'

/** A date or time that `parseTime` reads, normalised to UTC with milliseconds. */
export const timestamp = z
  .string(notATimestamp)
  .register(declaredBounds, { maxLength: 64, text: notATimestamp })
  .refine((value) => parseTime(value) !== undefined, { error: notATimestamp, abort: true })
  .refine((value) => isInTimeRange(parseTime(value)!), { error: outOfTimeRange, abort: true })
  .transform((value) => new Date(parseTime(value)!).toISOString())
  .meta({ format: 'date-time' })

const notADay = 'must be a date such as 2026-03-01, or the start of this day in UTC, such as 2026-03-01T00:00'

/** A day such as `2026-03-01`, or the time at which it begins in UTC. Normalised to the date. */
export const date = z
  .string(notADay)
  .register(declaredBounds, { maxLength: 64, text: notADay })
  .refine((value) => parseDay(value) !== undefined, { error: notADay, abort: true })
  .refine((value) => isInTimeRange(parseTime(value)!), { error: outOfTimeRange, abort: true })
  .transform((value) => parseDay(value)!)
  .meta({ type: 'string', maxLength: 64 })

const wholeNumber = z
  .string()
  .regex(/^[+-]?\d+$/, 'must be an integer')
  .register(declaredBounds, { maxLength: 1000 })
  .transform(Number)

/** A query parameter that is a whole number from `min` to `max`, or left out. Any other value is rejected. */
export function integerParam({ min, max }: { min: number; max: number }) {
  return wholeNumber
    .refine((value) => value >= min && value <= max, { error: `must be from ${min} to ${max}` })
    .optional()
    .meta({ type: 'integer', minimum: min, maximum: max })
}

/** The `limit` of a list. Clamps values out of range, and rejects anything but an integer. */
export function limit({ fallback = 50, max = 200 } = {}) {
  return wholeNumber
    .optional()
    .transform((value) => Math.min(Math.max(value ?? fallback, 1), max))
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: fallback,
      description: `How many rows the page has at most. A value above ${max} counts as ${max}, a value below 1 as 1.`,
    })
}

/** The `offset` of a list. A negative value counts as 0. */
export const offset = wholeNumber
  .optional()
  .transform((value) => Math.min(Math.max(value ?? 0, 0), Number.MAX_SAFE_INTEGER))
  .meta({
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'How many rows of the list come before the page. A value below 0 counts as 0.',
  })

/** A query parameter that falls back to a default if its value is not in the enum, or if it is repeated. */
export function sortParam<const V extends readonly [string, ...string[]]>(values: V, fallback: V[number]) {
  return z
    .unknown()
    .register(declaredBounds, { maxValues: 100 })
    .optional()
    .transform((value): V[number] => values.find((known) => known === value) ?? fallback)
    .meta({ type: 'string', enum: [...values], default: fallback })
}

/** One of `values`. The error for any other value lists them. */
export function oneOf<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` })
}

/** A query parameter that is `true` or `false`, or left out. */
export const booleanParam = z
  .string()
  .refine((value) => value === 'true' || value === 'false', 'must be true or false')
  .register(declaredBounds, { maxLength: 5 })
  .transform((value) => value === 'true')
  .optional()
  .meta({ type: 'boolean' })

/** The number of rows in a list. Counting stops at 10,000, which means "10,000 or more". */
export const total = z
  .int()
  .meta({ maximum: 10_000, description: 'How many rows the list has. 10,000 means 10,000 or more.' })

/** Returns the schema for the response of a list endpoint that has the parameters `limit` and `offset`. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item).describe('Rows of this page.'),
    total,
    limit: z.int().describe('How many rows the page has at most, as the server read `limit`.'),
    offset: z.int().describe('How many rows come before the page, as the server read `offset`.'),
  })
}

/** An object with at most `maxKeys` keys. `error` is the error text for a larger object. */
export function record<V extends z.ZodType>(
  key: z.ZodType<string, string>,
  value: V,
  { maxKeys, error }: { maxKeys: number; error: string },
) {
  return z
    .record(key, value)
    .refine((entries) => Object.keys(entries).length <= maxKeys, { error, abort: true })
    .register(declaredBounds, { maxKeys, text: error })
}

// A limit far above the size of real tool arguments. Without it, every step that reads the whole object would be slow for a large object.
const anyObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
    abort: true,
  })
  .register(declaredBounds, { maxValues: 10_000 })

/** A JSON object that stays exactly as it was sent. A schema with fields would drop a key named `__proto__`. */
export const objectAsSent = anyObject
  .transform((value) => value as Record<string, unknown>)
  .meta({ type: 'object', additionalProperties: true })

/** A JSON object that PostgreSQL can store: at most `maxCharacters` as compact JSON, and `maxDepth` levels. Returned unchanged. */
export function jsonObject({ maxCharacters, maxDepth }: { maxCharacters: number; maxDepth: number }) {
  return anyObject
    .refine((value) => isWithinDepth(value, maxDepth), {
      error: `must be at most ${maxDepth} levels deep`,
      abort: true,
    })
    .refine(holdsStorableText, { error: 'must not contain NUL or unpaired surrogates', abort: true })
    .refine((value) => JSON.stringify(value).length <= maxCharacters, {
      error: `must be at most ${maxCharacters} characters as JSON`,
    })
    .transform((value) => value as Record<string, unknown>)
    .meta({ type: 'object', additionalProperties: true })
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Checks level by level without recursion, because deep nesting would overflow the stack. */
function isWithinDepth(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isBranch)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === maxDepth) return false
    level = level.flatMap((branch) => Object.values(branch)).filter(isBranch)
  }
  return true
}

function holdsStorableText(value: unknown): boolean {
  if (typeof value === 'string') return storable(value)
  if (!isBranch(value)) return true
  return Object.entries(value).every(([key, held]) => storable(key) && holdsStorableText(held))
}
