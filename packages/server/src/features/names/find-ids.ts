import { type NamedKind, namedKinds, referenceFields, referenceObjects } from '@mandate/contract/endpoint/names'
import { isRecord } from '@mandate/contract/fields/is-record'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { z } from 'zod'

/** The ids of a response. */
export interface FoundIds {
  /** Ids of other objects, by the kind of the object. */
  referred: Record<NamedKind, Set<string>>
  /** Names that the response itself contains beside an id. */
  named: Map<string, string>
}

/** Maximum number of ids of one kind whose names are looked up for one response. */
export const maxIdsOfKind = 1000

export function noIds(): FoundIds {
  const referred = Object.fromEntries(namedKinds.map((kind) => [kind, new Set<string>()]))
  return { referred: referred as FoundIds['referred'], named: new Map() }
}

type Find = (value: unknown, found: FoundIds) => void

/**
 * Returns a function that finds the ids in a response with this schema. The function only reads the fields of the schema. So an
 * object that an agent or a user wrote, such as the arguments of a call, cannot name anything.
 */
export function idFinder(schema: z.core.$ZodType): Find {
  return compile(schema) ?? (() => {})
}

// The snapshot of a report contains the names of its time, and can have 10,000 rows. An edge or a user wrote the other fields.
const skippedFields = new Set(['snapshot', 'arguments', 'chain', 'metadata'])
// Objects with keys that the contract does not list. The server wrote them.
const openFields = new Set(['evidence', 'details'])

function compile(schema: z.core.$ZodType): Find | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return ofFields(def.shape)
    case 'array': {
      const ofItem = compile(def.element)
      if (!ofItem) return undefined
      return (value, found) => {
        if (Array.isArray(value)) for (const item of value) ofItem(item, found)
      }
    }
    case 'union': {
      const options = def.options.flatMap((option) => compile(option) ?? [])
      if (options.length === 0) return undefined
      return (value, found) => {
        for (const find of options) find(value, found)
      }
    }
    case 'optional':
    case 'nullable':
    case 'default':
      return compile(def.innerType)
    default:
      return undefined
  }
}

function ofFields(shape: Readonly<Record<string, z.core.$ZodType>>): Find | undefined {
  const fields = Object.entries(shape).flatMap(([name, schema]): [string, Find][] => {
    const find = skippedFields.has(name) ? undefined : ofField(name, schema)
    return find ? [[name, find]] : []
  })
  const own = ownName(shape)
  if (fields.length === 0 && !own) return undefined
  return (value, found) => {
    if (!isRecord(value)) return
    own?.(value, found)
    for (const [name, find] of fields) find(value[name], found)
  }
}

function ofField(name: string, schema: z.core.$ZodType): Find | undefined {
  const kind = referenceFields[name]
  if (kind) return (value, found) => addId(found, kind, value)
  if (openFields.has(name)) return (value, found) => findInOpen(value, found)
  const inside = compile(schema)
  const ofObject = referenceObjects[name]
  if (!ofObject) return inside
  return (value, found) => {
    if (isRecord(value)) addId(found, ofObject, value.id)
    inside?.(value, found)
  }
}

/** Reads an object's id and name, if it has both. */
function ownName(shape: Readonly<Record<string, unknown>>) {
  const id = ['id', 'user_id'].find((field) => field in shape)
  const name = ['name', 'display_name'].find((field) => field in shape)
  if (id === undefined || name === undefined) return undefined
  return (value: Record<string, unknown>, { named }: FoundIds) => {
    const [itsId, itsName] = [value[id], value[name]]
    if (isUuidText(itsId) && typeof itsName === 'string' && itsName !== '') named.set(itsId, itsName)
  }
}

const maxDepth = 4

function findInOpen(value: unknown, found: FoundIds, depth = 0): void {
  if (depth === maxDepth) return
  if (Array.isArray(value)) for (const item of value) findInOpen(item, found, depth + 1)
  if (!isRecord(value)) return
  for (const [name, its] of Object.entries(value)) {
    const kind = referenceFields[name]
    if (kind) addId(found, kind, its)
    else findInOpen(its, found, depth + 1)
  }
}

function addId({ referred }: FoundIds, kind: NamedKind, id: unknown): void {
  if (isUuidText(id) && referred[kind].size < maxIdsOfKind) referred[kind].add(id)
}

const isUuidText = (value: unknown): value is string => typeof value === 'string' && isUuid(value)
