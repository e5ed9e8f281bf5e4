import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { usageFailure } from '../failure.ts'
import { pairOf } from '../key-value.ts'

/** A value of a request: a string, or what `--field` makes of a word. */
type Value = string | number | boolean | null | Value[] | Fields
export interface Fields {
  [key: string]: Value
}

/**
 * Builds a request's fields from `key=value` words: `a[b]=c` is a field of a field, and `a[]=c` adds to a list.
 * @param strings words whose values are taken as they are
 * @param typed words whose values may be a number, `true`, `false`, `null`, or `@file` for a file's content
 */
export async function parseFields(strings: readonly string[], typed: readonly string[]): Promise<Fields> {
  const fields: Fields = emptyFields()
  for (const word of strings) put(fields, ...pairOf('--raw-field', word))
  for (const word of typed) {
    const [key, value] = pairOf('--field', word)
    put(fields, key, await typedValue(value))
  }
  return fields
}

// Without a prototype, so that `__proto__` is a key like any other.
const emptyFields = (): Fields => Object.create(null)

async function typedValue(value: string): Promise<Value> {
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === 'null') return null
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(value)) return Number(value)
  if (!value.startsWith('@')) return value
  return await contentOf(value.slice(1))
}

/** The text of a file; `-` is standard input. */
export async function contentOf(file: string): Promise<string> {
  if (file === '-') return await text(process.stdin)
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw usageFailure(`${file} cannot be read: ${error.message}`)
  })
}

function put(fields: Fields, key: string, value: Value): void {
  const name = /^[^[\]]+/.exec(key)?.[0]
  const rest = key.slice(name?.length)
  if (name === undefined || !/^(?:\[[^[\]]*\])*$/.test(rest))
    throw usageFailure(`${key} is not a key such as a, a[b] or a[]`)
  const steps = [name, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!)]
  let at: Fields | Value[] = fields
  steps.forEach((step, index) => {
    const isLast = index === steps.length - 1
    const made = isLast ? value : steps[index + 1] === '' ? [] : emptyFields()
    at = stepInto(at, step, made, key) as Fields | Value[]
  })
}

/** Sets a value, or finds the one that an earlier word has made on the way. */
function stepInto(at: Fields | Value[], step: string, made: Value, key: string): Value {
  const isList = Array.isArray(at)
  if (isList !== (step === '')) throw usageFailure(`${key} is used both as a list and as fields`)
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

/** Fields as a query string. @throws Failure for a list or fields of fields */
export function searchOf(fields: Fields): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === 'object' && value !== null) throw usageFailure(`${key}: a query string has plain values only`)
    search.set(key, String(value))
  }
  return search.toString()
}
