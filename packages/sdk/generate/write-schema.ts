import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

interface Document {
  paths: Record<string, Record<string, unknown>>
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Generates the client's TypeScript from an OpenAPI document: types, and a route for each operation. The generated code has no
 * imports.
 */
export async function writeSchema(document: Document): Promise<string> {
  const types = astToString(await openapiTS(document as unknown as OpenAPI3))
  return [
    '// Generated from packages/contract/openapi.json by `npm run generate`. Do not edit.',
    '',
    types.trimEnd(),
    '',
    '/** Method and path of every operation. `absolute` paths are not under the base path. */',
    `export const routes = ${JSON.stringify(routesOf(document), null, 2)} as const`,
    '',
  ].join('\n')
}

function routesOf({ paths }: Document) {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, its]) =>
      methods
        .filter((method) => method in its)
        .map((method) => {
          const { operationId } = its[method] as { operationId: string }
          return [operationId, { method: method.toUpperCase(), path, ...('servers' in its && { absolute: true }) }]
        }),
    ),
  )
}
