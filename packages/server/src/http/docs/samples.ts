import type { OpenApiOperation } from '@mandate/contract/openapi/openapi'

export interface Sample {
  language: string
  text: string
}

interface Call {
  method: string
  /** The path including the base path. Parameters are written as `{name}`. */
  path: string
  operation: OpenApiOperation
}

/**
 * Returns sample calls of an operation, for curl and for the SDK, with the operation's example. Path parameters become
 * variables of the same name.
 */
export function samplesOf(call: Call): Sample[] {
  const { operation } = call
  const curl = { language: 'curl', text: curlOf(call) }
  const isForm = operation.requestBody?.content['application/x-www-form-urlencoded'] !== undefined
  const hasAnswer = Object.keys(operation.responses).some((status) => status.startsWith('2'))
  return isForm || !hasAnswer ? [curl] : [curl, { language: 'TypeScript', text: sdkOf(call) }]
}

function curlOf({ method, path, operation }: Call): string {
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$MANDATE_URL${path.replaceAll(/\{(\w+)\}/g, '$$$1')}${queryOf(operation)}"`,
    operation.security.length > 0 && '-H "Authorization: Bearer $TOKEN"',
    ...(type === undefined ? [] : bodyLines(type, body?.example)),
  ]
  return lines.filter(Boolean).join(' \\\n  ')
}

/** The required query parameters of an operation, with their example values. */
const requiredQuery = ({ parameters = [] }: OpenApiOperation) =>
  parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => [name, (schema.examples as string[])[0] as string] as const)

function queryOf(operation: OpenApiOperation): string {
  const query = new URLSearchParams(requiredQuery(operation).map(([name, value]) => [name, value])).toString()
  return query && `?${query}`
}

function bodyLines(type: string, example: unknown): string[] {
  if (type === 'application/x-www-form-urlencoded') {
    const fields = Object.entries(example as Record<string, string>)
    return fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
  }
  return [`-H "Content-Type: ${type}"`, `-d ${quoted(JSON.stringify(example, null, 2))}`]
}

/** Quotes a word for the shell, so that the shell expands nothing in it. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function sdkOf({ operation }: Call): string {
  const { operationId, parameters = [], requestBody } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const example = Object.values(requestBody?.content ?? {})[0]?.example
  const query = requiredQuery(operation).map(([name, value]) => `${name}: '${value}'`)
  const input = [
    ...(inPath.length > 0 ? [`  path: { ${inPath.join(', ')} },`] : []),
    ...(query.length > 0 ? [`  query: { ${query.join(', ')} },`] : []),
    ...(example === undefined ? [] : [`  body: ${JSON.stringify(example, null, 2).replaceAll('\n', '\n  ')},`]),
  ]
  const rest = input.length > 0 ? `, {\n${input.join('\n')}\n}` : ''
  return `await mandate.call('${operationId}'${rest})`
}
