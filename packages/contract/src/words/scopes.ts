import { editsBetween } from './edits-between.ts'

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
  if (!match) return 'must be <resource>:<action>; the action is read, write or *'
  const [, resource = '*'] = match
  if (resource === '*' || resources.has(resource)) return null
  return `must name a known resource: ${resource} is unknown; the nearest is ${nearest(resource)}`
}

function nearest(resource: string): string {
  const written = resource.toLowerCase().replaceAll('_', '-')
  const byDistance = scopeResources.toSorted((one, other) => editsBetween(one, written) - editsBetween(other, written))
  return byDistance[0] as string
}
