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

/** Valid scopes that allow no request, because no endpoint needs them. A test compares this list with the endpoints. */
export const emptyScopes: readonly string[] = [
  'academy:read',
  'decisions:write',
  'events:write',
  'models:write',
  'overview:write',
  'usage:write',
]

const resources = new Set<string>(scopeResources)
/** A bare `*`, or `<resource>:<action>`. */
const scopePattern = /^(?:\*|([\w-]{1,63}|\*):(?:read|write|\*))$/

/** Returns what is wrong with a scope of an API key, or null if the scope is valid. Names the resource that is probably meant, or all of them. */
export function faultOfScope(scope: string): string | null {
  const match = scopePattern.exec(scope)
  if (!match) return `must be <resource>:<action>; the action is read, write or *${suggestionFor(scope)}`
  const [, resource = '*'] = match
  if (resource === '*' || resources.has(resource)) return null
  const meant = resourceMeantBy(resource)
  const help = meant === undefined ? `the resources are ${scopeResources.join(', ')}` : `the nearest is ${meant}`
  return `must name a known resource: ${resource} is unknown; ${help}`
}

const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '')

/** Words in the singular, each with the resource that it means: the words of hyphenated names, and other words for a resource. */
const otherWords = new Map<string, string>([
  ...scopeResources.flatMap((resource) => resource.split('-').map((part) => [singular(part), resource] as const)),
  ...['org', 'organisation', 'organization'].map((word) => [word, 'tenants'] as const),
  ...['member', 'people', 'person'].map((word) => [word, 'users'] as const),
])
const names = new Map(
  scopeResources.flatMap((resource) => [resource, singular(resource)].map((name) => [name, resource])),
)

/** Returns the resource that an unknown name means: by one of its words in the singular or the plural, or by a similar name. */
export function resourceMeantBy(written: string): string | undefined {
  const name = plain(written)
  return otherWords.get(singular(name)) ?? names.get(nearest(name, [...names.keys()]) ?? '')
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
  const named = parts.findIndex((part) => resourceMeantBy(part) !== undefined)
  const at = named < 0 ? parts.indexOf('*') : named
  if (at < 0) return null
  const resource = (named >= 0 && resourceMeantBy(parts[at]!)) || '*'
  const others = parts.toSpliced(at, 1).map((part) => nearest(plain(part), actions))
  return { resource, action: others.find((action) => action !== undefined) }
}

const actions = ['read', 'write'] as const

const plain = (text: string) => text.toLowerCase().replaceAll('_', '-')

/** Returns the word that is written with the fewest edits: at most one for each four letters. */
function nearest(written: string, known: readonly string[]): string | undefined {
  const all = known.map((word) => ({ word, edits: editsBetween(written, word) }))
  const similar = all.filter(({ word, edits }) => edits * 4 <= Math.max(written.length, word.length))
  return similar.toSorted((one, other) => one.edits - other.edits)[0]?.word
}
