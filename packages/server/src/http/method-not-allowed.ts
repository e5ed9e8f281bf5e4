import type { Endpoint } from '@mandate/contract/endpoint'
import { basePath } from './endpoint-path.ts'

/** For a path no endpoint serves with the method asked for: the methods it does serve, or none for an unknown path. */
export function methodsByPath(endpoints: readonly Endpoint[]): (path: string) => string[] {
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
