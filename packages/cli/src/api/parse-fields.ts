import { text } from 'node:stream/consumers'
import { isExactNumber } from '@mandate/contract/fields/is-exact-number'
import { usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { readTextFile } from '../invocation/read-text-file.ts'
import { pairOf } from '../options/key-value.ts'

/** A value in a request: a string from `--raw-field`, or a parsed value from `--field`. */
type Value = string | number | boolean | null | Value[] | Fields
export interface Fields {
  [key: string]: Value
}

/**
 * Builds a request's fields from `key=value` arguments. `a[b]=c` sets a nested field, and `a[]=c` appends to a list.
 * @param strings arguments whose values stay strings
 * @param typed arguments whose values may be a number, `true`, `false`, `null`, or `@file` for a file's content
 * @throws Failure for an invalid key, a repeated key, a number that JSON cannot represent exactly, or a file that cannot be read
 */
export async function parseFields(strings: readonly string[], typed: readonly string[]): Promise<Fields> {
  const fields: Fields = emptyFields()
  for (const word of strings) put(fields, ...pairOf('--raw-field', word))
  for (const word of typed) {
    const [key, value] = pairOf('--field', word)
    put(fields, key, await typedValue(key, value))
  }
  return fields
}

// No prototype, so that `__proto__` is an ordinary key.
const emptyFields = (): Fields => Object.create(null)

async function typedValue(key: string, value: string): Promise<Value> {
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === 'null') return null
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) {
    if (isExactNumber(value)) return Number(value)
    throw usageFailure(
      `${key}: JSON cannot represent ${value} exactly; to send it as a string, use --raw-field in place of --field`,
    )
  }
  if (!value.startsWith('@')) return value
  return await contentOf(value.slice(1))
}

/** Reads a file as text. `-` means standard input. */
export async function contentOf(file: string): Promise<string> {
  if (file === '-') return await text(invocation().stdin)
  return await readTextFile(file)
}

function put(fields: Fields, key: string, value: Value): void {
  const name = /^[^[\]]+/.exec(key)?.[0]
  const rest = key.slice(name?.length)
  if (name === undefined || !/^(?:\[[^[\]]*\])*$/.test(rest))
    throw usageFailure(`invalid key ${key}; use a form such as a, a[b] or a[]`)
  const steps = [name, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!)]
  let at: Fields | Value[] = fields
  steps.forEach((step, index) => {
    const isLast = index === steps.length - 1
    const made = isLast ? value : steps[index + 1] === '' ? [] : emptyFields()
    at = stepInto(at, step, made, key) as Fields | Value[]
  })
}

/**
 * Sets a value in an object, or appends a value to a list. If an earlier `key=value` argument already put an object or a list
 * there, returns this existing object or list, so that the next step adds to it.
 */
function stepInto(at: Fields | Value[], step: string, made: Value, key: string): Value {
  const isList = Array.isArray(at)
  if (isList !== (step === '')) throw usageFailure(`${key} is used both as a list and as an object`)
  if (isList) {
    at.push(made)
    return made
  }
  const present = at[step]
  if (typeof present === 'object' && present !== null && typeof made === 'object' && made !== null) return present
  if (present !== undefined) throw usageFailure(`${key} is given twice`)
  at[step] = made
  return made
}

/** Formats fields as a query string. @throws Failure for a list or a nested field */
export function searchOf(fields: Fields): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === 'object' && value !== null)
      throw usageFailure(`${key}: a query string cannot contain lists or nested fields`)
    search.set(key, String(value))
  }
  return search.toString()
}
