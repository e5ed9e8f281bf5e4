import type { Endpoint } from '../endpoint/endpoint.ts'
import { type Bounds, boundsOf } from '../fields/bounds.ts'
import { fieldName } from './refusal-text.ts'

/** Lists every request field (path, query, body) without a maximum size, as sentences that name the endpoint and the field. */
export function findUnbounded(endpoints: Readonly<Record<string, Endpoint>>): string[] {
  return Object.entries(endpoints).flatMap(([id, { method, path, params, query, body }]) =>
    Object.entries({ path: params, query, body }).flatMap(([part, schema]) =>
      (schema ? unboundedIn(boundsOf(schema), []) : []).map(
        ({ at, what }) => `${id} (${method} ${path}): ${part} field ${fieldName(at, part)} is ${what}`,
      ),
    ),
  )
}

interface Unbounded {
  at: PropertyKey[]
  what: string
}

function unboundedIn(bounds: Bounds, at: PropertyKey[]): Unbounded[] {
  switch (bounds.kind) {
    case 'unbounded':
      return [{ at, what: bounds.what }]
    case 'list':
      return unboundedIn(bounds.item, [...at, '*'])
    case 'map':
      return [...unboundedIn(bounds.key, [...at, '(key)']), ...unboundedIn(bounds.value, [...at, '*'])]
    case 'fields':
      return bounds.fields.flatMap(([name, field]) => unboundedIn(field, [...at, name]))
    case 'either':
      return bounds.options.flatMap((option) => unboundedIn(option, at))
    default:
      return []
  }
}
