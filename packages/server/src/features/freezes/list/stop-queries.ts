import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentOfRecordIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { countedAtMost } from '../../../db/lists/bounded-count.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import { freezeIsVisible } from '../freeze-queries.ts'
import { confirmationIsVisible } from '../instance-queries.ts'

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

const delaysOf = statementsBySight({}, ({ sight }) =>
  namedSql<Percentiles>(`select ${percentiles('d.after_ms')} from (select c.after_ms from freeze_confirmations c
    where c.tenant_id = :tenantId and c.freeze_id = :id and ${confirmationIsVisible(sight)} limit ${countedAtMost}) d`),
)

/** Computes how long the confirmations of a freeze took, from at most 10,000 of those that the actor sees. */
export function findDelays(db: Sql, actor: Member, id: string): Promise<Percentiles> {
  return db.one(delaysOf(actor, {}, { id }))
}

const ofSuspension = `
  select count(*) as edges, count(d.after_ms) as confirmed, ${percentiles('d.after_ms')}
  from (select case when p.stopped_at >= $3::timestamptz then extract(epoch from p.stopped_at - $3::timestamptz) * 1000 end::float8 as after_ms
    from profile_confirmations p
    left join edge_instances i on i.tenant_id = $1 and i.credential_id = p.credential_id and i.instance_id = p.instance_id
    where p.tenant_id = $1 and p.agent_id = $2
      and (p.stopped_at >= $3::timestamptz or i.seen_at >= $3::timestamptz - $4 * interval '1 second')
    limit ${countedAtMost}) d`

/**
 * Computes how many of the instances that ran the agent confirmed a profile that denies every call since a time. Knows only instances that
 * have confirmed a profile of the agent.
 */
export function findSuspensionReach(db: Sql, agentId: string, at: string, quietSeconds: number) {
  type Reach = Percentiles & { edges: number; confirmed: number }
  return db.one(raw<Reach>(ofSuspension, [db.tenantId, agentId, at, quietSeconds]))
}
