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
  const readings = waysToSplit(scope).map(meantBy)
  const meant = readings.find((one) => one?.action) ?? readings.find((one) => one !== null)
  if (!meant) return ''
  const each = meant.action === undefined ? actions : [meant.action]
  return `; did you mean ${each.map((action) => `${meant.resource}:${action}`).join(' or ')}?`
}

/** Resources have hyphens, so `-` and `_` are separators only at the first or the last place. */
function waysToSplit(scope: string): string[][] {
  const joined = [/^([^_-]+)[_-](.+)$/, /^(.+)[_-]([^_-]+)$/].map((form) => form.exec(scope)?.slice(1) ?? [])
  return [scope.split(/[:.\s/]+/), ...joined]
}

function meantBy(parts: readonly string[]): { resource: string; action: string | undefined } | null {
  const named = parts.findIndex((part) => isNear(part, nearest(part, scopeResources)))
  const at = named < 0 ? parts.indexOf('*') : named
  if (at < 0) return null
  const action = parts.toSpliced(at, 1).find((part) => isNear(part, nearest(part, actions)))
  const resource = named < 0 ? '*' : nearest(parts[at] as string, scopeResources)
  return { resource, action: action === undefined ? undefined : nearest(action, actions) }
}

const actions = ['read', 'write'] as const

const plain = (text: string) => text.toLowerCase().replaceAll('_', '-')

const isNear = (written: string, known: string) => distance(written, known) <= 2

/** How far a text is from a known word. A whole part of the word, such as `keys` of `api-keys`, is nearer than another word. */
function distance(written: string, known: string): number {
  const text = plain(written)
  return known.split('-').includes(text) && text !== known ? 1 : editsBetween(text, known)
}

function nearest(written: string, known: readonly string[]): string {
  return known.toSorted((one, other) => distance(written, one) - distance(written, other))[0] as string
}
