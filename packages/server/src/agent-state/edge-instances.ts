import type { Sight } from '../authz/sight.ts'
import { narrowedBy } from '../authz/visibility.ts'
import { boundedCount, countedAtMost } from '../db/lists/bounded-count.ts'

// Which edge instances run. Freezes, the overview and the list of instances use this one definition.

/**
 * Maximum number of instances that a statement tests for whether they run. Instances that stopped are tested too, and a rolling restart
 * of 100,000 edges leaves as many of them, so it is more than what is counted.
 */
export const mostInstancesTested = 200_000

/** SQL condition on an instance `i`: it is the instance of an edge, not of the own key of an agent. */
export const isOfEdge = 'exists (select from edges x where x.tenant_id = :tenantId and x.id = i.credential_id)'

/** SQL condition on an instance `i`: it is silent. */
export const isSilent = 'i.seen_at < :silentBefore::timestamptz'

const hasNewer = `exists (select from edge_instances n where n.tenant_id = :tenantId and n.credential_id = i.credential_id
  and n.seen_at > i.seen_at + :seconds * interval '1 second')`

/** SQL condition: the actor sees the instance. `edge` and `agent` are SQL for the ids, of which one is null. */
export const instanceIsVisible = (sight: Sight, place: string, edge: string, agent: string) =>
  narrowedBy(sight, {
    bound: `${place} = :environmentId`,
    scoped: `(case when ${edge} is not null
      then exists (select from environment_access x where x.tenant_id = :tenantId and x.user_id = :userId and x.environment_id = ${place})
      else exists (select from agent_grants g where g.tenant_id = :tenantId and g.user_id = :userId and g.agent_id = ${agent}) end)`,
  })

const ofCredential = (id: string) => `(select i.* from edge_instances i
    where i.tenant_id = :tenantId and i.credential_id = ${id} offset 0) i`

// Each `offset 0` makes PostgreSQL look up the instances of each credential. Otherwise it may read those of the whole tenant.
const granted = `(
  select i.* from agent_grants g cross join lateral ${ofCredential('g.agent_id')} where g.tenant_id = :tenantId and g.user_id = :userId
  union all
  select i.* from environment_access v join edges x on x.tenant_id = :tenantId and x.environment_id = v.environment_id
    cross join lateral ${ofCredential('x.id')} where v.tenant_id = :tenantId and v.user_id = :userId)`

/** SQL for a `from` clause: instances that include all instances `i` that the actor sees. */
const readFor: Record<Sight, string> = {
  all: 'edge_instances',
  bound: 'edge_instances',
  scoped: granted,
  'scoped+bound': granted,
}

/** SQL that selects the instances `i` that match a condition, whether or not they run. Includes all of them that the actor sees. */
export const instancesWith = (sight: Sight, condition: string) => `select i.* from ${readFor[sight]} i
  where i.tenant_id = :tenantId and ${sight === 'bound' ? 'i.environment_id = :environmentId' : 'true'} and ${condition}`

const areMarked = `(select coalesce(max(l.marked_before) >= :silentBefore::timestamptz, false)
  from late_marks l where l.tenant_id = :tenantId)`

/**
 * SQL like `instancesWith`, only the silent instances. Reads the marked instances if all silent instances are marked. Otherwise it reads all
 * instances: `offset 0` keeps PostgreSQL from starting workers for this before it knows.
 */
export const silentInstancesWith = (sight: Sight, condition: string) =>
  readFor[sight] === granted
    ? instancesWith(sight, `${isSilent} and ${condition}`)
    : `(${instancesWith(sight, `i.is_late and ${isSilent} and ${condition} and ${areMarked}`)})
  union all (select i.* from (select where not ${areMarked}) unmarked
    cross join lateral (${instancesWith(sight, `${isSilent} and ${condition}`)} offset 0) i)`

// An instance is running if it serves agents, and if its last heartbeat is not much older than the newest heartbeat of its credential. An instance
// with a much older heartbeat has stopped, and a newer instance has replaced it. A silent instance is running, because it may still decide calls.
// An agent's own key ends when it is rotated, so an instance that was last seen before the rotation does not count as running.
// Only silent instances are compared with the other instances of their credential. The heartbeat of any other instance is recent enough.
const isRunning = (sight: Sight) => `i.agents > 0
    and (case when e.id is not null then e.revoked_at is null and i.seen_at >= e.last_heartbeat_at - :seconds * interval '1 second'
      else k.status <> 'archived' and (k.key_rotated_at is null or i.seen_at >= k.key_rotated_at) and (not ${isSilent} or not ${hasNewer}) end)
    and ${instanceIsVisible(sight, 'i.environment_id', 'e.id', 'k.id')}`

/**
 * SQL for a `from` clause: the instances `i` of `instances` that run and that the actor sees, with the edge `e` or the agent `k` whose key
 * each uses.
 */
export const runningInstances = (sight: Sight, instances: string) => `(${instances}) i
  left join edges e on e.tenant_id = :tenantId and e.id = i.credential_id
  left join agents k on e.id is null and k.tenant_id = :tenantId and k.id = i.credential_id
  where ${isRunning(sight)}`

/**
 * Like `runningInstances`, for a few instances. `offset 0` makes PostgreSQL look up the credential of each instance. Otherwise it may read all
 * agents of the tenant.
 */
export const fewRunningInstances = (sight: Sight, instances: string) => `(${instances}) i
  left join lateral (select e.id, e.name, e.revoked_at, e.last_heartbeat_at from edges e
    where e.tenant_id = :tenantId and e.id = i.credential_id offset 0) e on true
  left join lateral (select k.id, k.name, k.status, k.key_rotated_at from agents k
    where e.id is null and k.tenant_id = :tenantId and k.id = i.credential_id offset 0) k on true
  where ${isRunning(sight)}`

/** Number of instances that `countRunning` tests first. They are usually enough. */
const testedFirst = 12_000

const named = 'any(array(select f.credential_id from first f))'

// One read of an index returns the credentials of all first instances. This takes less time than a look-up for each instance. PostgreSQL estimates
// that the array has ten elements, so it would choose a nested loop, which compares each instance with each credential. A full join rules out the
// nested loop.
const countFirst = (sight: Sight, instances: string) => `
  with first as materialized (
    select i.credential_id, i.environment_id, i.seen_at, i.agents from (${instances} limit ${testedFirst}) i)
  select count(i.credential_id) as tested, count(*) filter (where ${isRunning(sight)}) as running
  from first i
  full join (select e.id, e.revoked_at, e.last_heartbeat_at from edges e where e.tenant_id = :tenantId and e.id = ${named}) e
    on e.id = i.credential_id
  full join (select k.id, k.status, k.key_rotated_at from agents k where k.tenant_id = :tenantId and k.id = ${named}) k on k.id = i.credential_id`

/** SQL that counts the instances of `instances` that run and that the actor sees. The count stops at `countedAtMost`. */
export const countRunning = (sight: Sight, instances: string) => `(select case
    when t.running >= ${countedAtMost} or t.tested < ${testedFirst} then least(t.running, ${countedAtMost})
    else ${boundedCount(runningInstances(sight, `${instances} limit ${mostInstancesTested}`))} end
  from (${countFirst(sight, instances)}) t)`
