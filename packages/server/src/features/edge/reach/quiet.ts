import type { Actor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Quiet } from './edge-list-queries.ts'

/** An edge is silent when all its instances have missed this many heartbeats. */
const silentAfterBeats = 3

/** How long an edge may be quiet at the time of the request until it counts as silent. */
export function quietAt({ now, services }: Pick<Ctx<Actor | null>, 'now' | 'services'>): Quiet {
  const seconds = silentAfterBeats * services.config.heartbeatSeconds
  return { seconds, silentBefore: new Date(Date.parse(now) - seconds * 1000).toISOString() }
}
