import { setTimeout as pause } from 'node:timers/promises'
import { isConflict } from '../../db/connections/conflicts.ts'
import type { Route } from '../routes/route.ts'

const readTries = 3
const pauseMs = 25

/**
 * Makes the handler of a `GET` route retry after a lock timeout or a deadlock. Running a read again is safe, because a read
 * changes nothing. All other routes are returned unchanged.
 */
export function retryReads(route: Route): Route {
  if (route.endpoint.method !== 'GET') return route
  const handle: Route['handle'] = async (ctx, input) => {
    for (let tries = 1; ; tries++) {
      try {
        return await route.handle(ctx, input)
      } catch (error) {
        if (tries === readTries || !isConflict(error)) throw error
        await pause(pauseMs * 2 ** tries * (0.5 + Math.random()))
      }
    }
  }
  return { ...route, handle }
}
