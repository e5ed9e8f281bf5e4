import type { Endpoint } from '@mandate/contract/endpoint/endpoint'

export const basePath = '/api/v1'

/** The path from the root of the server, with `{param}` segments. */
export function pathOf(endpoint: Endpoint): string {
  return (endpoint.absolute ? '' : basePath) + endpoint.path
}

/** The path in Fastify's format, with `:param` segments. */
export function fastifyPath(endpoint: Endpoint): string {
  return pathOf(endpoint).replaceAll(/\{(\w+)\}/g, ':$1')
}
