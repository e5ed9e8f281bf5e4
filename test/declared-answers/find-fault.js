import { readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const document = JSON.parse(readFileSync(new URL('../../packages/contract/openapi.json', import.meta.url), 'utf8'))
const ajv = addFormats(new Ajv({ strict: false, allErrors: false }))
// ajv-formats has no check of this format.
ajv.addFormat('idn-email', true)
ajv.addSchema({ $id: 'openapi', components: closed(document.components) })

/** Adds `additionalProperties: false` to every schema with properties, so that an undeclared field is an error. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  if (schema.allOf) return closed(merged(schema.allOf))
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined) {
    copy.additionalProperties = false
  }
  return copy
}

/** Merges object schemas into one schema, because each closed schema alone would reject the fields of the others. */
function merged(schemas) {
  const parts = schemas.map(({ $ref, ...own }) => ($ref ? document.components.schemas[$ref.split('/').at(-1)] : own))
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

const operations = Object.entries(document.paths).flatMap(([path, item]) => {
  const [server] = item.servers ?? document.servers
  const pattern = (server.url + path).replace('//', '/').replaceAll(/\{\w+\}/g, '[^/]+')
  return Object.entries(item)
    .filter(([method]) => method !== 'servers')
    .map(([method, operation]) => ({
      method: method.toUpperCase(),
      literals: path.split('/').filter((part) => !part.startsWith('{')).length,
      pattern: new RegExp(`^${pattern}$`),
      operation,
    }))
})
// A literal path segment has precedence over a parameter, like in the router.
operations.sort((a, b) => b.literals - a.literals)

// The dashboard is not in the document. Its list of paths is read as text, because this process may not be able to run TypeScript.
const pathsFile = new URL('../../packages/contract/src/words/dashboard-paths.ts', import.meta.url)
const dashboardPaths = [...readFileSync(pathsFile, 'utf8').matchAll(/^ {2}'(.+)',$/gm)].map(([, path]) => path)
const ofDashboard = new RegExp(
  `^(https?://[^/]+)?(${dashboardPaths.map((path) => path.replace('{id}', '[^/]+')).join('|')}|/docs/|/getting-started/|/assets/[^/]+|/[a-z]+\\.(js|css|svg))/*$`,
)

const outside = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
  additionalProperties: false,
}
const unknownPath = ajv.compile(outside)

/**
 * Compares one response with the OpenAPI document.
 * @param {{method: string, path: string, status: number, type: unknown, body: string | null}} answer `body` null: not recorded
 * @returns {{operation: string, fault: string | null}} `operation` is an operation id, or `none` for a path or method that has no operation
 */
export function findFault({ method, path, status, type, body }) {
  const isHead = method === 'HEAD'
  const found = operations.find((one) => one.method === (isHead ? 'GET' : method) && one.pattern.test(path))
  if (!found && (isHead || method === 'GET') && isOfDashboard(path, status, type))
    return { operation: 'dashboard', fault: null }
  if (!found) return { operation: 'none', fault: faultOutside(status, body, isHead) }
  const { operation } = found
  return { operation: operation.operationId, fault: faultOf(operation, { status, type, body: isHead ? null : body }) }
}

/** A browser gets the dashboard also for an address that does not exist, with status 404. */
function isOfDashboard(path, status, type) {
  if ([200, 302, 304].includes(status)) return ofDashboard.test(path)
  return status === 404 && String(type).startsWith('text/html') && !path.startsWith('/api/')
}

/** Checks a response outside every operation: an unknown path, an unsupported method, or a malformed request. */
function faultOutside(status, body, isHead) {
  if (![400, 404, 405, 414, 503].includes(status)) return `status ${status} outside every operation`
  if (isHead || body === null) return null
  return unknownPath(parsed(body)) ? null : `not an error body: ${body.slice(0, 200)}`
}

function faultOf(operation, { status, type, body }) {
  const response = operation.responses[status]
  if (!response) return `status ${status} is not declared; body ${String(body).slice(0, 200)}`
  if (!response.content) return body ? `a body where none is declared: ${body.slice(0, 200)}` : null
  if (body === null) return null
  const contentType = String(type).split(';')[0]
  const content = response.content[contentType]
  if (!content) return `content type ${contentType} is not declared for status ${status}`
  if (contentType !== 'application/json') return null
  const validate = validatorOf(content)
  return validate(parsed(body)) ? null : describe(validate.errors, body)
}

const validators = new WeakMap()
/** Many responses have the same schema, for example all errors. Compiling a schema takes about 20 ms. */
const validatorsByText = new Map()

function validatorOf(content) {
  let validate = validators.get(content)
  if (!validate) {
    const text = JSON.stringify(closed(content.schema)).replaceAll('"#/components/', '"openapi#/components/')
    validate = validatorsByText.get(text) ?? ajv.compile(JSON.parse(text))
    validators.set(content, validate)
    validatorsByText.set(text, validate)
  }
  return validate
}

function parsed(body) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function describe(errors, body) {
  const texts = (errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`
  })
  return `${[...new Set(texts)].slice(0, 4).join('; ')}; body ${body.slice(0, 200)}`
}
