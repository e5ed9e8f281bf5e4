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
 * Returns what is wrong with a scope of an API key, or null if the scope is valid. Suggests the most similar known resource or scope.
 */
export function faultOfScope(scope: string): string | null {
  const match = scopePattern.exec(scope)
  if (!match) return `must be <resource>:<action>; the action is read, write or *${suggestionFor(scope)}`
  const [, resource = '*'] = match
  if (resource === '*' || resources.has(resource)) return null
  return `must name a known resource: ${resource} is unknown; the nearest is ${nearest(resource, scopeResources)}`
}

/** Names the scopes with the resource and the action in the parts of a malformed scope. Empty if no part is a resource. */
function suggestionFor(scope: string): string {
  // No known scope is longer. The time to compare texts grows with their lengths.
  if (scope.length > 80) return ''
  const parts = scope.split(/[:.\s/]+/)
  const at = parts.findIndex((part) => isNear(part, nearest(part, scopeResources)))
  if (at < 0) return ''
  const action = parts.toSpliced(at, 1).find((part) => isNear(part, nearest(part, actions)))
  const meant = action === undefined ? actions : [nearest(action, actions)]
  const resource = nearest(parts[at] as string, scopeResources)
  return `; did you mean ${meant.map((each) => `${resource}:${each}`).join(' or ')}?`
}

const actions = ['read', 'write'] as const

const plain = (text: string) => text.toLowerCase().replaceAll('_', '-')

const isNear = (written: string, known: string) => editsBetween(plain(written), known) <= 2

function nearest(written: string, known: readonly string[]): string {
  const edits = (one: string) => editsBetween(one, plain(written))
  return known.toSorted((one, other) => edits(one) - edits(other))[0] as string
}
