import { freezeScopes } from '@mandate/contract/freezes'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import type { Sight } from '../../authz/sight.ts'
import { narrowedBy } from '../../authz/visibility.ts'
import { countedAtMost } from '../../db/bounded-count.ts'
import type { Sql } from '../../db/database.ts'
import { namedSql } from '../../db/named-parameters.ts'

// The edges of a freeze are counted by running instance. An edge may serve any agent of its environment, so the freeze of an agent
// concerns every edge of the environment, and the instances that use the agent's own key.

type Scope = (typeof freezeScopes)[number]

/** Maximum number of instances that a count reads. Instances that stopped are read too, so it is more than what is counted. */
const mostCounted = 2 * countedAtMost

/** SQL condition on an instance `i`: it is in the place that the freeze covers. */
const isInPlace = {
  agent: '(i.environment_id = :place::uuid or i.credential_id = :target)',
  environment: 'i.environment_id = :target',
  organization: 'true',
}

/** SQL: the instances in the place of the freeze, in the order of their names. `condition` narrows them. */
export const instancesInPlace = (scope: Scope, condition: string, limit: number) => `
  select i.* from edge_instances i where i.tenant_id = :tenantId and ${isInPlace[scope]} and ${condition}
  order by i.credential_id, i.instance_id limit ${limit}`

const hasNewer = `exists (select from edge_instances n where n.tenant_id = :tenantId and n.credential_id = i.credential_id
  and n.seen_at > i.seen_at + :seconds * interval '1 second')`

/** SQL condition: the actor sees the instance. `edge` and `agent` are SQL for the ids, of which one is null. */
const instanceIsVisible = (sight: Sight, place: string, edge: string, agent: string) =>
  narrowedBy(sight, {
    bound: `${place} = :environmentId`,
    scoped: `(case when ${edge} is not null
      then exists (select from environment_access x where x.tenant_id = :tenantId and x.user_id = :userId and x.environment_id = ${place})
      else exists (select from agent_grants g where g.tenant_id = :tenantId and g.user_id = :userId and g.agent_id = ${agent}) end)`,
  })

/** SQL condition: the actor sees the confirmation `c`. */
export const confirmationIsVisible = (sight: Sight) =>
  instanceIsVisible(sight, 'c.environment_id', 'c.edge_id', 'c.agent_id')

/**
 * SQL for a `from` clause: the instances `i` that have to confirm and did not, of `instances`. An instance counts that was heard
 * shortly before the newest heartbeat of its credential: the others have stopped, and a newer one took over.
 */
export const unconfirmedOf = (sight: Sight, scope: Scope, instances: string) => `(${instances}) i
  left join edges e on e.tenant_id = :tenantId and e.id = i.credential_id
  left join agents k on e.id is null and k.tenant_id = :tenantId and k.id = i.credential_id
  where i.agents > 0 and i.started_at <= :startedBy::timestamptz
    and ${scope === 'agent' ? '(e.id is not null or i.credential_id = :target)' : 'true'}
    and (case when e.id is not null then e.revoked_at is null and i.seen_at >= e.last_heartbeat_at - :seconds * interval '1 second'
      else k.status <> 'archived' and not ${hasNewer} end)
    and ${instanceIsVisible(sight, 'i.environment_id', 'e.id', 'k.id')}
    and not exists (select from freeze_confirmations c where c.tenant_id = :tenantId and c.freeze_id = :freezeId
      and c.credential_id = i.credential_id and c.instance_id = i.instance_id)`

export interface InstanceCounts {
  confirmed: number
  /** Instances that have not confirmed, the silent ones included. */
  open: number
  /** Silent instances that have not confirmed. */
  unreachable: number
  /** When the last confirmation arrived. */
  last_at: string | null
}

const countsOf = statementsBySight({ scope: freezeScopes }, ({ sight, scope }) => {
  const confirmed = `from freeze_confirmations c
    where c.tenant_id = :tenantId and c.freeze_id = :freezeId and ${confirmationIsVisible(sight)}`
  return namedSql<InstanceCounts>(`
    select (select count(*) from (select ${confirmed} limit ${countedAtMost}) c) as confirmed,
      (select c.received_at ${confirmed} order by c.received_at desc limit 1) as last_at,
      count(*) as open, count(*) filter (where m.seen_at < :silentBefore::timestamptz) as unreachable
    from (select i.seen_at from ${unconfirmedOf(sight, scope, instancesInPlace(scope, 'true', mostCounted))}
      limit ${countedAtMost}) m`)
})

/** What the instances of a freeze depend on. `startedBy` leaves out instances that started later. */
export interface FreezeInstances {
  freezeId: string
  scope: Scope
  target: string
  place: string | null
  startedBy: string
}

export interface QuietTime {
  seconds: number
  silentBefore: string
}

/** Counts the instances of a freeze that the actor sees. Each count stops at 10,000. */
export function countInstances(db: Sql, actor: Member, instances: FreezeInstances, quiet: QuietTime) {
  const { scope, ...values } = instances
  return db.one(countsOf(actor, { scope }, { ...values, ...quiet }))
}
