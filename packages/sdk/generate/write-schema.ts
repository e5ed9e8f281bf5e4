import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

interface Document {
  paths: Record<string, Record<string, unknown>>
}

interface Operation {
  operationId: string
  security: readonly unknown[]
  parameters?: { name: string }[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

const heading = '// Generated from packages/contract/openapi.json by `npm run generate`. Do not edit.'

/** Generates the client's TypeScript types from an OpenAPI document. The generated code has no imports. */
export async function writeSchema(document: Document): Promise<string> {
  const types = astToString(await openapiTS(document as unknown as OpenAPI3))
  return [heading, '', types.trimEnd(), ''].join('\n')
}

/** Generates a route for each operation, apart from the types: a program that calls operations reads only this file, which is small. */
export function writeRoutes(document: Document): string {
  return [
    heading,
    '',
    '/**',
    ' * Method and path of every operation. `absolute` paths are not under the base path. `public` operations need no credential.',
    ' * `cookieSession` operations open, refresh or end a session, and accept the header `Mandate-Session`.',
    ' */',
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
          const operation = its[method] as Operation
          const flags = {
            ...('servers' in its && { absolute: true }),
            ...(operation.security.length === 0 && { public: true }),
            ...(operation.parameters?.some(({ name }) => name === 'Mandate-Session') && { cookieSession: true }),
          }
          return [operation.operationId, { method: method.toUpperCase(), path, ...flags }]
        }),
    ),
  )
}
