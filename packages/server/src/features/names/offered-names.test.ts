import { contentTypesOf, type Endpoint } from '@mandate/contract/endpoint/endpoint'
import { offersNames, referenceFields, referenceObjects } from '@mandate/contract/endpoint/names'
import { endpoints } from '@mandate/contract/endpoints'
import { openApiDocument } from '@mandate/contract/openapi/openapi'
import { describe, expect, it } from 'vitest'

type Schema = Record<string, unknown>
const document = openApiDocument(endpoints)

/** Ids of the object itself, of its tenant, and of objects without a name. */
const unnamed = new Set([
  ...['id', 'tenant_id', 'decision_id', 'review_id', 'approval_id', 'entry_id', 'session_id', 'pattern_id'],
  ...['indicator_id', 'anchored_by', 'audit_entry_id', 'freeze_id', 'tool_id', 'parent_id'],
])
/**
 * `GET /auth/session` describes the caller: learners may call it too, and they see no other object. A receipt is a file that is
 * verified as it is.
 */
const withoutNames = new Set(['getSession', 'getDecisionReceipt'])

const reads = Object.entries(endpoints as Record<string, Endpoint>).filter(
  ([id, endpoint]) =>
    endpoint.method === 'GET' &&
    endpoint.access.by === 'role' &&
    contentTypesOf(endpoint).includes('application/json') &&
    !withoutNames.has(id),
)

/** Returns the path of each field with a UUID in the response of an operation. */
function idFields(id: string, { path }: Endpoint): string[] {
  const operation = document.paths[path]?.get
  if (!operation || !('operationId' in operation)) throw new Error(`${id} is not in the document`)
  return inSchema(operation.responses['200']?.content?.['application/json']?.schema as Schema, [])
}

function inSchema(schema: Schema, path: string[]): string[] {
  const { $ref } = schema
  if (typeof $ref === 'string') return inSchema(document.components.schemas[$ref.split('/').at(-1)!] as Schema, path)
  if (schema.format === 'uuid') return [path.join('.')]
  const parts = [schema.anyOf, schema.oneOf, schema.allOf, schema.items].flat().filter(Boolean) as Schema[]
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return [
    ...parts.flatMap((part) => inSchema(part, path)),
    ...fields.flatMap(([name, field]) => (name === 'snapshot' ? [] : inSchema(field, [...path, name]))),
  ]
}

const isReference = (field: string): boolean => {
  const [name = '', parent = ''] = field.split('.').toReversed()
  return name in referenceFields || (name === 'id' && parent in referenceObjects)
}

describe('the names of a response', () => {
  it.each(reads)('%s offers them if it refers to other objects', (id, endpoint) => {
    if (idFields(id, endpoint).some(isReference)) expect(offersNames(endpoint)).toBe(true)
  })

  it.each(reads)('%s has no id of an unknown kind', (id, endpoint) => {
    const unknown = idFields(id, endpoint).filter((field) => {
      const name = field.split('.').at(-1)!
      return !isReference(field) && !unnamed.has(name)
    })
    expect(unknown, 'add the field to names.ts, or to this list if its object has no name').toEqual([])
  })
})
