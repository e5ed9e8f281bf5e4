import type { Endpoint } from '../endpoint/endpoint.ts'
import { type OpenApiOperation, openApiDocument } from '../openapi/openapi.ts'
import type { JsonSchema } from '../openapi/openapi-schema.ts'

const fewestWords = 3

/**
 * Lists every tag, operation, parameter, schema and property of the OpenAPI document whose description is missing, has fewer than
 * three words, or only repeats the name. Returns one sentence for each.
 */
export function findUndescribed(endpoints: Readonly<Record<string, Endpoint>>): string[] {
  const document = openApiDocument(endpoints)
  const tags = document.tags.flatMap(({ name, description }) => faultOf(`tag ${name}`, name, description))
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap((item) => ('operationId' in item ? inOperation(item, endpoints) : [])),
  )
  const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    ...faultOf(`schema ${name}`, name, schema.description),
    ...inSchema(schema, name),
  ])
  return [...tags, ...operations, ...schemas]
}

function inOperation(operation: OpenApiOperation, endpoints: Readonly<Record<string, Endpoint>>): string[] {
  const { operationId: id, parameters = [], requestBody, responses } = operation
  const parts = Object.entries({ body: requestBody, ...responses })
  return [
    // Only requires that a summary exists. A summary is a short title, so it may have the same words as the operation's id.
    ...(operation.summary.trim() === '' ? [`operation ${id} has no summary`] : []),
    // Checks the description in the endpoint's declaration, because the description in the document is never empty: it always
    // has a sentence about who may call the endpoint.
    ...faultOf(`operation ${id}`, id, endpoints[id]?.description),
    ...parameters.flatMap(({ name, in: place, description }) =>
      faultOf(`${id}: ${place} parameter ${name}`, name, description),
    ),
    ...parts.flatMap(([part, content]) =>
      Object.values(content?.content ?? {}).flatMap(({ schema }) => inSchema(schema, `${id} ${part}`)),
    ),
  ]
}

/** Checks the properties of a schema at every level. Referenced schemas are checked separately. */
function inSchema(schema: JsonSchema, at: string): string[] {
  const own = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, its]) => [
    ...faultOf(`${at}.${name}`, name, its.description),
    ...inSchema(its, `${at}.${name}`),
  ])
  const parts = [schema.items, schema.additionalProperties, schema.anyOf, schema.oneOf, schema.allOf].flat()
  return [...own, ...parts.flatMap((part) => (isSchema(part) ? inSchema(part, at) : []))]
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

function faultOf(what: string, name: string, description: unknown): string[] {
  if (typeof description !== 'string' || description.trim() === '') return [`${what} has no description`]
  const words = wordsOf(description)
  if (words.join('') === wordsOf(name).join('')) return [`${what}: the description repeats the name`]
  return words.length < fewestWords ? [`${what}: the description has fewer than ${fewestWords} words`] : []
}

/** Splits a text or a name into lower-case words, without articles. */
function wordsOf(text: string): string[] {
  const words = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !['a', 'an', 'the'].includes(word))
}
