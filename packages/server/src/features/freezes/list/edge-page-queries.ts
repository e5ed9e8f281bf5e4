import { type FreezeEdge, freezeEdgeStates, freezeScopes } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import {
  confirmationIsVisible,
  type FreezeInstances,
  instancesInPlace,
  type QuietTime,
  unconfirmedOf,
} from '../instance-queries.ts'

/** Maximum number of instances that a page reads to find those that have not confirmed. */
const readAtMost = 2000

/** The place of an instance in the list. */
export interface InstancePlace {
  credentialId: string
  instanceId: string
}

type Row = { [Field in keyof FreezeEdge]: FreezeEdge[Field] | null } & {
  credential_id: string | null
  ended_credential: string | null
  ended_instance: string | null
}

const isAfter = (row: string) =>
  `(${row}.credential_id, ${row}.instance_id) > (:afterCredential::uuid, :afterInstance::text)`
const columns = 'credential_id, instance_id, edge_id, agent_id, environment_id, state, after_ms, kid, signature'

const shape = { scope: freezeScopes, state: ['any', ...freezeEdgeStates], isOpen: [false, true] } as const

// `scanned` are the instances that were read to find those that have not confirmed. If its limit was reached, `ended` is the last of them, and
// the page ends there.
const pageOf = statementsBySight(shape, ({ sight, scope, state, isOpen }) => {
  const open = isOpen && state !== 'confirmed'
  const confirmed = state === 'any' || state === 'confirmed'
  const isWanted = state === 'any' || state === 'confirmed' ? 'true' : `u.state = '${state}'`
  return namedSql<Row>(`
    with scanned as materialized (${instancesInPlace(sight, scope, `${open} and ${isAfter('i')}`, readAtMost)}),
    ended as (select s.credential_id, s.instance_id from scanned s where (select count(*) from scanned) = ${readAtMost}
      order by s.credential_id desc, s.instance_id desc limit 1),
    found as (
      (select c.credential_id, c.instance_id, c.edge_id, c.agent_id, c.environment_id, 'confirmed' as state, c.after_ms, c.kid, c.signature
        from freeze_confirmations c
        where ${confirmed} and c.tenant_id = :tenantId and c.freeze_id = :freezeId and ${isAfter('c')} and ${confirmationIsVisible(sight)}
        order by c.credential_id, c.instance_id limit :limit)
      union all
      (select ${columns} from (
        select i.credential_id, i.instance_id, e.id as edge_id, k.id as agent_id, i.environment_id,
          case when i.seen_at < :silentBefore::timestamptz then 'unreachable' else 'waiting' end as state,
          null::bigint as after_ms, null::text as kid, null::text as signature
        from ${unconfirmedOf(sight, scope, 'select * from scanned')}) u
        where ${isWanted} order by credential_id, instance_id limit :limit))
    select p.credential_id, p.instance_id, p.state, p.after_ms, p.kid, p.signature,
      case when p.edge_id is not null then json_build_object('id', p.edge_id, 'name', coalesce(e.name, '')) end as edge,
      case when p.agent_id is not null then json_build_object('id', p.agent_id, 'name', coalesce(a.name, '')) end as agent,
      case when n.id is not null then json_build_object('id', n.id, 'name', n.name, 'slug', n.slug) end as environment,
      i.seen_at as last_heartbeat_at, i.closes_at,
      ${sight === 'all' || sight === 'bound' ? 'i.agents' : 'null::integer'} as agents,
      x.credential_id as ended_credential, x.instance_id as ended_instance
    from (select (select credential_id from ended) as credential_id, (select instance_id from ended) as instance_id) x
    left join lateral (select f.* from found f
      where x.credential_id is null or (f.credential_id, f.instance_id) <= (x.credential_id, x.instance_id)
      order by f.credential_id, f.instance_id limit :limit) p on true
    left join edges e on e.tenant_id = :tenantId and e.id = p.edge_id
    left join agents a on a.tenant_id = :tenantId and a.id = p.agent_id
    left join environments n on n.tenant_id = :tenantId and n.id = p.environment_id
    left join edge_instances i on i.tenant_id = :tenantId and i.credential_id = p.credential_id and i.instance_id = p.instance_id
    order by p.credential_id, p.instance_id`)
})

export interface EdgePage {
  instances: FreezeInstances
  /** True if the freeze still waits for confirmations. */
  isOpen: boolean
  state: (typeof freezeEdgeStates)[number] | undefined
  after: InstancePlace | undefined
  size: number
}

const noId = '00000000-0000-0000-0000-000000000000'

/** Returns a page of the instances of a freeze that the actor sees, and the place after which the next page begins. */
export async function findFreezeEdges(db: Sql, actor: Member, page: EdgePage, quiet: QuietTime) {
  const { instances, isOpen, state = 'any', after, size } = page
  const { scope, ...values } = instances
  const { credentialId = noId, instanceId = '' } = after ?? {}
  const place = { afterCredential: credentialId, afterInstance: instanceId, limit: size + 1 }
  const rows = await db.all(pageOf(actor, { scope, state, isOpen }, { ...values, ...quiet, ...place }))
  const found = rows.filter(({ credential_id: id }) => id !== null)
  const last = found[size - 1]
  return { data: found.slice(0, size).map(edgeOf), next: found.length > size && last ? placeOf(last) : endOf(rows[0]) }
}

const placeOf = ({ credential_id, instance_id }: Row): InstancePlace => ({
  credentialId: credential_id as string,
  instanceId: instance_id as string,
})

const endOf = (row: Row | undefined): InstancePlace | null =>
  row?.ended_credential && row.ended_instance !== null
    ? { credentialId: row.ended_credential, instanceId: row.ended_instance }
    : null

function edgeOf({ credential_id: _, ended_credential: __, ended_instance: ___, ...row }: Row): FreezeEdge {
  return row as FreezeEdge
}
