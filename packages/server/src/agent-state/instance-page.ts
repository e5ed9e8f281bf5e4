import type { Sight } from '../authz/sight.ts'

// A page of instances with their states: those of a freeze, or those that run an agent. Such a list is in the order of credential and name.

/** Maximum number of instances that a page reads. */
export const readAtMost = 2000

/** The place of an instance in the list. */
export interface InstancePlace {
  credentialId: string
  instanceId: string
}

/** SQL condition on a row: it is after the place in `placeValues`. */
export const isAfterPlace = (row: string) =>
  `(${row}.credential_id, ${row}.instance_id) > (:afterCredential::uuid, :afterInstance::text)`

const noId = '00000000-0000-0000-0000-000000000000'

/** The values of the parameters of `instancePage`. One row more than the page tells whether there is a next page. */
export function placeValues(after: InstancePlace | undefined, size: number) {
  const { credentialId = noId, instanceId = '' } = after ?? {}
  return { afterCredential: credentialId, afterInstance: instanceId, limit: size + 1 }
}

interface End {
  ended_credential: string | null
  ended_instance: string | null
}
type Found<Fields> = Fields & End & { credential_id: string; instance_id: string }
/** A row of a page. A page that found nothing has one row, with the end of the page. */
export type InstanceRow<Fields> = Found<Fields> | (End & { credential_id: null })

/**
 * SQL of a page. `scanned` selects the first `readAtMost` instances to test, and `found` selects the rows of the page, with
 * `edge_id`, `agent_id`, `environment_id`, `state` and `columns`. If the limit of `scanned` was reached, the page ends with the last of them.
 */
export const instancePage = (sight: Sight, scanned: string, found: string, columns: readonly string[]) => `
    with scanned as materialized (${scanned}),
    ended as (select s.credential_id, s.instance_id from scanned s where (select count(*) from scanned) = ${readAtMost}
      order by s.credential_id desc, s.instance_id desc limit 1),
    found as (${found})
    select p.credential_id, p.instance_id, p.state, ${columns.map((column) => `p.${column}`).join(', ')},
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
    order by p.credential_id, p.instance_id`

/** Returns the rows of a page, and the place after which the next page begins. Null if there is none. */
export function readInstancePage<Fields>(rows: readonly InstanceRow<Fields>[], size: number) {
  const found = rows.filter((row): row is Found<Fields> => row.credential_id !== null)
  const last = found[size - 1]
  const next = found.length > size && last ? placeOf(last) : endOf(rows[0])
  return { found: found.slice(0, size), next }
}

const placeOf = ({ credential_id, instance_id }: Found<unknown>): InstancePlace => ({
  credentialId: credential_id,
  instanceId: instance_id,
})

const endOf = (row: End | undefined): InstancePlace | null =>
  row?.ended_credential && row.ended_instance !== null
    ? { credentialId: row.ended_credential, instanceId: row.ended_instance }
    : null
