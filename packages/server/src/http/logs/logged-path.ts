import { isUuid } from '@mandate/contract/fields/is-uuid'
import { fastifyPath, pathOf } from '../routes/endpoint-path.ts'
import type { Route } from '../routes/route.ts'

/** Returns the form of a path that is safe to log. `matched` is the route that matched the path. */
export type PathToLog = (path: string, matched: string | undefined) => string

// Maximum length at which an unknown path segment is logged in full. All credentials are longer, so a longer segment may be a
// credential. Ids (UUIDs) and the fixed names in the paths of the API are always logged in full.
const longestShown = 24
const shownOfLong = 4
const credential = /^[a-z]{2}_./i

/**
 * Returns a function that removes credentials from a path before it is logged. Some endpoints have a token in their path. If a
 * path matched such an endpoint, or begins with the text before its token, the pattern of the endpoint is logged. In all other
 * paths, long segments are shortened, because a mistyped path may contain a key or a token in any segment.
 */
export function pathsToLog(routes: readonly Pick<Route, 'endpoint'>[]): PathToLog {
  const secret = routes
    .map(({ endpoint }) => ({ pattern: pathOf(endpoint), route: fastifyPath(endpoint) }))
    .filter(({ pattern }) => pattern.includes('{token}'))
    .map((each) => ({ ...each, prefix: each.pattern.slice(0, each.pattern.indexOf('{token}')) }))
  const known = new Set(routes.flatMap(({ endpoint }) => pathOf(endpoint).split('/')))
  const isShown = (segment: string) => known.has(segment) || isUuid(segment)
  return (path, matched) => {
    for (const { prefix, route, pattern } of secret) if (route === matched || path.startsWith(prefix)) return pattern
    const segments = path.split('/')
    if (segments.every(isShown)) return path
    return segments.map((segment) => (known.has(segment) ? segment : shown(segment))).join('/')
  }
}

/** Shows a long segment as its first characters and its length. */
function shown(segment: string): string {
  const text = decoded(segment)
  if (isUuid(text)) return segment
  if (segment.length <= longestShown && !credential.test(text)) return segment
  return `${segment.slice(0, shownOfLong)}…(${segment.length})`
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
