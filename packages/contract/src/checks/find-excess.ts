import type { Bounds } from '../fields/bounds.ts'
import { isRecord } from '../fields/is-record.ts'
import { isLonger } from '../fields/text-length.ts'

/** A value that is too large: its path, and an error text without the field's name, such as `must be at most 10 characters`. */
export interface Excess {
  path: PropertyKey[]
  text: string
}

/**
 * Finds the first text, list or object inside a value that is larger than the schema's bounds allow. Returns null if everything
 * is within the bounds. The bounds also limit the work of this function. Ignores values of a wrong type, because the schema
 * rejects them later.
 */
export function findExcess(bounds: Bounds, value: unknown): Excess | null {
  switch (bounds.kind) {
    case 'text':
      return typeof value === 'string' && isLonger(value, bounds.max) ? excess(bounds.text) : null
    case 'list':
      return Array.isArray(value) ? findInList(bounds, value) : null
    case 'fields':
      return isRecord(value) ? findInFields(bounds, value) : null
    case 'map':
      return isRecord(value) ? findInMap(bounds, value) : null
    case 'json':
      return holdsMore(value, bounds.max) ? excess(bounds.text) : null
    case 'either':
      return findInEither(bounds, value)
    case 'fixed':
    case 'unbounded':
      return null
  }
}

const excess = (text: string): Excess => ({ path: [], text })
const below = (key: PropertyKey, { path, text }: Excess): Excess => ({ path: [key, ...path], text })

function findInList({ max, text, item }: Extract<Bounds, { kind: 'list' }>, values: unknown[]): Excess | null {
  if (values.length > max) return excess(text)
  if (item.kind === 'fixed') return null
  for (const [index, value] of values.entries()) {
    const found = findExcess(item, value)
    if (found) return below(index, found)
  }
  return null
}

function findInFields({ fields }: Extract<Bounds, { kind: 'fields' }>, value: Record<string, unknown>): Excess | null {
  for (const [name, bounds] of fields) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined
    const found = field === undefined ? null : findExcess(bounds, field)
    if (found) return below(name, found)
  }
  return null
}

function findInMap(bounds: Extract<Bounds, { kind: 'map' }>, value: Record<string, unknown>): Excess | null {
  const keys = Object.keys(value)
  if (keys.length > bounds.max) return excess(bounds.text)
  for (const key of keys) {
    // The error for a key that is too long contains the path of the object only. The key itself may be very long.
    const longKey = findExcess(bounds.key, key)
    if (longKey) return { path: [], text: `keys ${longKey.text}` }
    const found = findExcess(bounds.value, value[key])
    if (found) return below(key, found)
  }
  return null
}

/** Handles a schema that is a union. A value is small enough if it is within the bounds of one option for the value's type. */
function findInEither({ options }: Extract<Bounds, { kind: 'either' }>, value: unknown): Excess | null {
  let first: Excess | null = null
  for (const option of options) {
    if (!isFor(option, value)) continue
    const found = findExcess(option, value)
    if (!found) return null
    first ??= found
  }
  return first
}

function isFor(option: Bounds, value: unknown): boolean {
  if (option.kind === 'text') return typeof value === 'string'
  if (option.kind === 'list') return Array.isArray(value)
  if (option.kind === 'fields' || option.kind === 'map') return isRecord(value)
  return true
}

function holdsMore(value: unknown, max: number): boolean {
  const branches: unknown[] = [value]
  let count = 0
  for (let branch = branches.pop(); branch !== undefined; branch = branches.pop()) {
    if (typeof branch !== 'object' || branch === null) continue
    for (const held of Array.isArray(branch) ? branch : Object.values(branch)) {
      if (++count > max) return true
      if (typeof held === 'object' && held !== null) branches.push(held)
    }
  }
  return false
}
