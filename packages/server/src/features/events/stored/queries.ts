import { entryIsVisible } from '../../../audit/entry-visibility.ts'
import type { Member } from '../../../authz/actor.ts'
import { boundEnvironment } from '../../../authz/can.ts'
import { type Sight, sightOf, sights } from '../../../authz/sight.ts'
import { environmentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** A condition for one actor becomes a condition for the actors `c`. */
const forCallers = (condition: string) =>
  condition
    .replaceAll(':tenantId', '$1')
    .replaceAll(':userId', 'c.user_id')
    .replaceAll(':environmentId', 'c.environment_id')

const isOfVisibleEdge = (sight: Sight) => `(e.audience = 'edge' and exists (select from environments
  where environments.tenant_id = $1 and environments.id = e.environment_id and ${environmentIsVisible(sight)}))`

/** The condition for audit entries also fits events: `category` is the audience. */
const eventIsVisible = (sight: Sight) =>
  forCallers(`${entryIsVisible(sight, false).replaceAll('e.category', 'e.audience')} or ${isOfVisibleEdge(sight)}`)

const statements = Object.fromEntries(
  sights.map((sight) => [
    sight,
    `select c.place, array_agg(e.id) as ids
     from unnest($2::uuid[], $3::uuid[]) with ordinality c (user_id, environment_id, place)
     cross join events e
     where e.tenant_id = $1 and e.id = any($4::uuid[]) and (${eventIsVisible(sight)})
     group by c.place`,
  ]),
) as Record<Sight, string>

/** Returns the ids of the events that each actor sees. The actors must have the same sight, and see only a part of the tenant. */
export async function findVisible(
  db: Sql,
  actors: readonly Member[],
  eventIds: readonly string[],
): Promise<Map<Member, Set<string>>> {
  const [first] = actors
  if (!first) return new Map()
  const values = [db.tenantId, actors.map(({ userId }) => userId), actors.map(boundEnvironment), eventIds]
  const rows = await db.all(raw<{ place: number; ids: string[] }>(statements[sightOf(first)], values))
  const byPlace = new Map(rows.map(({ place, ids }) => [place, new Set(ids)]))
  return new Map(actors.map((actor, at) => [actor, byPlace.get(at + 1) ?? new Set<string>()]))
}
