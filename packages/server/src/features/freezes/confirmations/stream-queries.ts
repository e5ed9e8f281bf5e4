import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sight } from '../../../authz/sight.ts'
import { narrowedBy } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import type { ConfirmationKey } from '../../../events/confirmation-events.ts'
import { freezeIsVisible } from '../freeze-visibility.ts'
import { confirmationIsVisible } from '../instance-queries.ts'

/** Number of agents of a scoped user among which a statement looks for one that a freeze covers. */
const grantsTestedAtMost = 1_000

/**
 * SQL condition on the freeze `z` of an environment: the actor sees an agent that it covers, or has access to the environment. Null if a
 * scoped user sees so many agents that not all of them were tested.
 */
function hasVisibleAgent(sight: Sight): string {
  const grants = `select g.agent_id from agent_grants g where g.tenant_id = :tenantId and g.user_id = :userId`
  return narrowedBy(sight, {
    bound: 'z.target_id = :environmentId',
    scoped: `(case
      when exists (select from environment_access x
        where x.tenant_id = :tenantId and x.user_id = :userId and x.environment_id = z.target_id) then true
      when exists (select from (${grants} limit ${grantsTestedAtMost}) g cross join lateral (select from agents a
        where a.tenant_id = :tenantId and a.id = g.agent_id and a.environment_id = z.target_id and a.status <> 'archived' offset 0) a)
        then true
      when exists (${grants} offset ${grantsTestedAtMost}) then null
      else false end)`,
  })
}

interface Readable {
  id: string
  /** True if the actor sees the freeze. */
  freeze: boolean
  /** True if the actor sees an agent that it covers, or its target. Null if that is not known. */
  agents: boolean | null
}

const readable = statementsBySight({}, ({ sight }) =>
  namedSql<Readable>(`select z.id, ${freezeIsVisible(sight)} as freeze,
      case when z.scope = 'environment' then ${hasVisibleAgent(sight)} else ${freezeIsVisible(sight)} end as agents
    from freezes z where z.tenant_id = :tenantId and z.id = any(:ids)`),
)

/** Says of each of the freezes what the actor sees of it. */
export function findReadable(db: Sql, actor: Member, ids: readonly string[]): Promise<Readable[]> {
  return db.all(readable(actor, {}, { ids }))
}

/** A confirmation that an actor sees. Of `edge` and `agent` one is null, as in the list of the edges of a freeze. */
export interface SeenRow {
  /** Its place among the confirmations that were asked for, from 1. */
  place: number
  freezeId: string
  edge: { id: string; name: string } | null
  agent: { id: string; name: string } | null
  instance_id: string
  after_ms: number
  /** When it arrived, ISO 8601. */
  at: string
}

const seenConfirmations = statementsBySight({}, ({ sight }) =>
  namedSql<SeenRow>(`select n.place, c.freeze_id as "freezeId", c.instance_id, c.after_ms, c.received_at as at,
      case when c.edge_id is not null then json_build_object('id', c.edge_id, 'name', coalesce(e.name, '')) end as edge,
      case when c.agent_id is not null then json_build_object('id', c.agent_id, 'name', coalesce(a.name, '')) end as agent
    from unnest(:freezeIds::uuid[], :credentialIds::uuid[], :instanceIds::text[]) with ordinality
      n (freeze_id, credential_id, instance_id, place)
    join freezes z on z.tenant_id = :tenantId and z.id = n.freeze_id
    join freeze_confirmations c on c.tenant_id = :tenantId and c.freeze_id = n.freeze_id and c.credential_id = n.credential_id
      and c.instance_id = n.instance_id
    left join edges e on e.tenant_id = :tenantId and e.id = c.edge_id
    left join agents a on a.tenant_id = :tenantId and a.id = c.agent_id
    where ${freezeIsVisible(sight)} and ${confirmationIsVisible(sight)}
    order by n.place limit :limit::int`),
)

/** Returns the first `limit` of the confirmations that the actor sees, of freezes that the actor sees. */
export function findSeenConfirmations(
  db: Sql,
  actor: Member,
  keys: readonly ConfirmationKey[],
  limit: number,
): Promise<SeenRow[]> {
  const freezeIds = keys.map(({ freezeId }) => freezeId)
  const credentialIds = keys.map(({ credentialId }) => credentialId)
  const instanceIds = keys.map(({ instanceId }) => instanceId)
  return db.all(seenConfirmations(actor, {}, { freezeIds, credentialIds, instanceIds, limit }))
}

/** Number of the newest open freezes among which a statement looks for those that were confirmed. */
const testedAtMost = 200
const recentAtMost = 20

const recentlyConfirmed = statementsBySight({}, ({ sight }) =>
  namedSql<{ id: string }>(`select z.id from (select z.* from freezes z where z.tenant_id = :tenantId and z.is_open
      order by z.id desc limit ${testedAtMost}) z
    where ${freezeIsVisible(sight)} and exists (select from freeze_confirmations c where c.tenant_id = :tenantId
      and c.freeze_id = z.id and c.received_at >= :since)
    order by z.id desc limit ${recentAtMost}`),
)

/** Returns the newest open freezes that the actor sees and that were confirmed since a time, at most 20. `since` is ISO 8601. */
export async function findRecentlyConfirmed(db: Sql, actor: Member, since: string): Promise<string[]> {
  return (await db.all(recentlyConfirmed(actor, {}, { since }))).map(({ id }) => id)
}
