import { fastifyPath, pathOf } from './endpoint-path.ts'
import type { Route } from './route.ts'

/** The path of a request, and the route that matched it, as the log may hold them. */
export type PathToLog = (path: string, matched: string | undefined) => string

/**
 * A token in a path is a credential: what matched such a path, however it was spelt, and what only begins like one is logged
 * as the endpoint's pattern.
 */
export function pathsToLog(routes: readonly Pick<Route, 'endpoint'>[]): PathToLog {
  const secret = routes
    .map(({ endpoint }) => ({ pattern: pathOf(endpoint), route: fastifyPath(endpoint) }))
    .filter(({ pattern }) => pattern.includes('{token}'))
    .map((each) => ({ ...each, prefix: each.pattern.slice(0, each.pattern.indexOf('{token}')) }))
  return (path, matched) =>
    secret.find(({ prefix, route }) => route === matched || path.startsWith(prefix))?.pattern ?? path
}
