import { z } from 'zod'

/**
 * Describes the maximum size of a schema's values. `server/src/http` checks these bounds before the schema library validates a request.
 * Otherwise a large value could cause expensive validation.
 */
export type Bounds =
  /** A value of fixed size, such as a boolean, a number or an enum. */
  | { kind: 'fixed' }
  /** A string of at most `max` Unicode code points. */
  | { kind: 'text'; max: number; text: string }
  /** An array of at most `max` items. */
  | { kind: 'list'; max: number; text: string; item: Bounds }
  /** An object with known fields. Unknown fields are ignored. */
  | { kind: 'fields'; fields: [name: string, bounds: Bounds][] }
  /** An object whose keys the sender chooses. */
  | { kind: 'map'; max: number; text: string; key: Bounds; value: Bounds }
  /** Any JSON with at most `max` values in all levels together. */
  | { kind: 'json'; max: number; text: string }
  | { kind: 'either'; options: Bounds[] }
  /** A value whose size the schema does not limit. `npm run lint` rejects such a value in requests. */
  | { kind: 'unbounded'; what: string }

/** Bounds that the schema's definition does not contain, such as the maximum number of keys of a record. */
export const declaredBounds = z.registry<{ maxLength?: number; maxKeys?: number; maxValues?: number; text?: string }>()

const known = new WeakMap<z.core.$ZodType, Bounds>()

/** Returns the bounds of a schema's input. Computes them once per schema. */
export function boundsOf(schema: z.core.$ZodType): Bounds {
  const found = known.get(schema)
  if (found) return found
  const bounds = compile(schema)
  known.set(schema, bounds)
  return bounds
}

const fixed: Bounds = { kind: 'fixed' }

function compile(schema: z.core.$ZodType): Bounds {
  const declared = declaredBounds.get(schema)
  if (declared?.maxValues !== undefined) {
    const text = declared.text ?? `must hold at most ${declared.maxValues} values`
    return { kind: 'json', max: declared.maxValues, text }
  }
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return textBounds(schema)
    case 'array': {
      const [max, text] = maximumOf(schema)
      if (max === undefined) return { kind: 'unbounded', what: 'an array without a maximum length' }
      return { kind: 'list', max, text: text ?? `must have at most ${max} items`, item: boundsOf(def.element) }
    }
    case 'record': {
      const max = declared?.maxKeys
      if (max === undefined) return { kind: 'unbounded', what: 'a record without a maximum number of keys' }
      const text = declared?.text ?? `must be at most ${max} entries`
      return { kind: 'map', max, text, key: boundsOf(def.keyType), value: boundsOf(def.valueType) }
    }
    case 'object': {
      if (def.catchall && def.catchall._zod.def.type !== 'never')
        return { kind: 'unbounded', what: 'an object that keeps unknown fields' }
      const fields = Object.entries(def.shape).map(([name, field]): [string, Bounds] => [name, boundsOf(field)])
      return { kind: 'fields', fields: fields.filter(([, { kind }]) => kind !== 'fixed') }
    }
    case 'union':
      return either(def.options.map(boundsOf))
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return boundsOf(def.innerType)
    case 'pipe':
      return boundsOf(def.in)
    case 'number':
    case 'boolean':
    case 'null':
    case 'undefined':
    case 'literal':
    case 'enum':
    case 'never':
      return fixed
    default:
      return { kind: 'unbounded', what: `${def.type}, of which no size is known` }
  }
}

function either(options: Bounds[]): Bounds {
  const growing = options.filter(({ kind }) => kind !== 'fixed')
  if (growing.length === 0) return fixed
  return growing.length === 1 && growing[0] ? growing[0] : { kind: 'either', options: growing }
}

function textBounds(schema: z.core.$ZodType): Bounds {
  const declared = declaredBounds.get(schema)
  const written = z.globalRegistry.get(schema)?.maxLength
  const [checked] = maximumOf(schema)
  const max = declared?.maxLength ?? (typeof written === 'number' ? written : checked)
  if (max === undefined) return { kind: 'unbounded', what: 'a string without a maximum length' }
  return { kind: 'text', max, text: declared?.text ?? `must be at most ${max} characters` }
}

/** Returns the maximum length of the schema's values, and the schema's error text for a longer value. */
function maximumOf(schema: z.core.$ZodType): [max?: number, text?: string] {
  for (const check of schema._zod.def.checks ?? []) {
    const { maximum, length, error } = check._zod.def as { maximum?: number; length?: number; error?: unknown }
    const max = maximum ?? length
    if (max === undefined) continue
    const text = typeof error === 'function' ? error({}) : undefined
    return typeof text === 'string' ? [max, text] : [max]
  }
  return []
}
