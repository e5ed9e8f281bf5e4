import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { basePath } from './endpoint-path.ts'

/**
 * Returns a function that lists the allowed methods of a path, for the `Allow` header. For an unknown path, the list is empty.
 */
export function methodsByPath(
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'absolute'>[],
): (path: string) => string[] {
  const patterns = endpoints.map((endpoint) => ({
    method: endpoint.method,
    pattern: new RegExp(`^${(endpoint.absolute ? '' : basePath) + endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return (path) => {
    const methods = new Set<string>()
    for (const { method, pattern } of patterns) if (pattern.test(path)) methods.add(method)
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }
}
