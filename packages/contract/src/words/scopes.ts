/**
 * Resources that a scope of an API key may name: the first path segments of the endpoints that API keys may call. A test
 * compares this list with the endpoints.
 */
export const scopeResources = [
  'agents',
  'api-keys',
  'approvals',
  'audit',
  'auth',
  'academy',
  'content-patterns',
  'credentials',
  'decisions',
  'delegations',
  'edges',
  'environments',
  'events',
  'findings',
  'freezes',
  'governance-gate',
  'models',
  'overview',
  'platforms',
  'policies',
  'reports',
  'reviews',
  'tenants',
  'tools',
  'usage',
  'users',
] as const

const resources = new Set<string>(scopeResources)
/** A bare `*`, or `<resource>:<action>`. */
const scopePattern = /^(?:\*|([\w-]{1,63}|\*):(?:read|write|\*))$/

/**
 * Returns what is wrong with a scope of an API key, or null if the scope is valid. For an unknown resource, suggests the most
 * similar known resource.
 */
export function faultOfScope(scope: string): string | null {
  const match = scopePattern.exec(scope)
  if (!match) return 'must be <resource>:<action>'
  const [, resource = '*'] = match
  if (resource === '*' || resources.has(resource)) return null
  return `must name a known resource: ${resource} is unknown; the nearest is ${nearest(resource)}`
}

function nearest(resource: string): string {
  const written = resource.toLowerCase().replaceAll('_', '-')
  const byDistance = scopeResources.toSorted((one, other) => distance(one, written) - distance(other, written))
  return byDistance[0] as string
}

/** Levenshtein distance of two texts of at most 63 characters. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[other.length] as number
}
