import { isUuid } from '@mandate/contract/is-uuid'
import { fastifyPath, pathOf } from './endpoint-path.ts'
import type { Route } from './route.ts'

/** The path of a request, and the route that matched it, as the log may hold them. */
export type PathToLog = (path: string, matched: string | undefined) => string

// Every id is a UUID, and every name in a path of the interface is shorter. A credential is longer.
const longestShown = 24
const shownOfLong = 4
const credential = /^[a-z]{2}_./i

/**
 * A token in a path is a credential: what matches such a path, however it is spelled, and what only begins like one is logged as the
 * endpoint's pattern. In every other path long segments are cut, because a misspelled path may hold a key or a token anywhere.
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

/** A segment as the log shows it: the beginning and the length of a long one. */
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
