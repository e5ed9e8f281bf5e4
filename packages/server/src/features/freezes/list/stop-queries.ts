import { countRunning, instancesWith } from '../../../agent-state/edge-instances.ts'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentOfRecordIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { countedAtMost } from '../../../db/lists/bounded-count.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'
import { freezeIsVisible } from '../freeze-visibility.ts'
import { confirmationIsVisible, type QuietTime } from '../instance-queries.ts'

/** Number of the newest freezes, and of the newest suspensions, among which a statement looks for one that the actor sees. */
const testedAtMost = 200

const lastFreezeOf = statementsBySight({}, ({ sight }) =>
  namedSql<{ id: string; at: string }>(`select z.id, z.created_at as at
    from (select z.* from freezes z where z.tenant_id = :tenantId order by z.id desc limit ${testedAtMost}) z
    where z.created_at >= :since and ${freezeIsVisible(sight)} order by z.id desc limit 1`),
)

const lastSuspensionOf = statementsBySight({}, ({ sight }) =>
  namedSql<{ agent_id: string; at: string }>(`select e.agent_id, e.created_at as at
    from (select e.* from audit_entries e where e.tenant_id = :tenantId and e.event_type = 'agent.suspended'
      order by e.id desc limit ${testedAtMost}) e
    where e.created_at >= :since and e.agent_id is not null and ${agentOfRecordIsVisible(sight, 'e')} order by e.id desc limit 1`),
)

/** Returns the newest freeze or drill since a time, of those that the actor sees. */
export function findLastFreeze(db: Sql, actor: Member, since: string) {
  return db.maybe(lastFreezeOf(actor, {}, { since }))
}

/** Returns the newest suspension since a time, of those that the actor sees. */
export function findLastSuspension(db: Sql, actor: Member, since: string) {
  return db.maybe(lastSuspensionOf(actor, {}, { since }))
}

const percentiles = (times: string) => `percentile_cont(0.5) within group (order by ${times}) as p50_ms,
  percentile_cont(0.99) within group (order by ${times}) as p99_ms`

export interface Percentiles {
  p50_ms: number | null
  p99_ms: number | null
}

/** Confirmations of a stop. */
export interface Confirmations extends Percentiles {
  confirmed: number
}

/**
 * SQL condition on a confirmation `c`: its instance did not start after the stop, and its key is neither revoked nor rotated. Nothing is known of an instance
 * that was deleted a day after its last heartbeat.
 */
const isOfThen = `not exists (select from edge_instances s where s.tenant_id = :tenantId and s.credential_id = c.credential_id
      and s.instance_id = c.instance_id and s.started_at > :at::timestamptz)
    and not exists (select from edges r where r.tenant_id = :tenantId and r.id = c.credential_id and r.revoked_at is not null)
    and not exists (select from agents k join edge_instances s on s.tenant_id = k.tenant_id and s.credential_id = k.id
      and s.instance_id = c.instance_id and s.seen_at < k.key_rotated_at
      where k.tenant_id = :tenantId and k.id = c.credential_id)`

const confirmationsOf = statementsBySight({}, ({ sight }) =>
  namedSql<Confirmations>(`select count(*) as confirmed, ${percentiles('d.after_ms')}
    from (select c.after_ms from freeze_confirmations c where c.tenant_id = :tenantId and c.freeze_id = :id
      and ${confirmationIsVisible(sight)} and ${isOfThen} limit ${countedAtMost}) d`),
)

/**
 * Counts the confirmations of a freeze that the actor sees, at most 10,000, and computes how long they took. Only of instances that existed
 * when the freeze started, at `at`.
 */
export function countConfirmations(db: Sql, actor: Member, id: string, at: string): Promise<Confirmations> {
  return db.one(confirmationsOf(actor, {}, { id, at }))
}

const stopsSince = `select from profile_confirmations c
  where c.tenant_id = :tenantId and c.agent_id = :agentId::uuid and c.stopped_at >= :at::timestamptz`

const ofAgent = `i.credential_id = any(array(select x.id from edges x
    join agents a on a.tenant_id = :tenantId and a.id = :agentId::uuid and x.environment_id = a.environment_id
    where x.tenant_id = :tenantId union all select :agentId::uuid))
  and (i.agent_ids is null or :agentId::uuid = any(i.agent_ids))`

// The instances that run are those that a freeze counts, so a suspension and a freeze of the same agent count alike.
const openOfSuspension = instancesWith(
  'all',
  `i.agents > 0 and i.started_at <= :at::timestamptz and ${ofAgent}
    and not exists (${stopsSince} and c.credential_id = i.credential_id and c.instance_id = i.instance_id)`,
)

const ofSuspension = namedStatement(
  namedSql<Confirmations & { open: number }>(`
    select count(*) as confirmed, ${percentiles('d.after_ms')}, ${countRunning('all', openOfSuspension)} as open
    from (select (extract(epoch from c.stopped_at - :at::timestamptz) * 1000)::float8 as after_ms
      from (${stopsSince.replace('select from', 'select c.* from')} and ${isOfThen} limit ${countedAtMost}) c) d`),
)

/**
 * Counts the instances that had to stop an agent when it was suspended, at `at`: those whose last heartbeat carried the agent. Those that
 * confirmed a profile that denies every call since then have stopped. Each count stops at 10,000.
 */
export function findSuspensionReach(db: Sql, agentId: string, at: string, quiet: QuietTime) {
  return db.one(ofSuspension({ tenantId: db.tenantId, agentId, at, ...quiet }))
}
