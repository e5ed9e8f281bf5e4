import { type FreezeEdge, freezeEdgeStates, freezeScopes } from '@mandate/contract/freezes'
import {
  type InstancePlace,
  type InstanceRow,
  instancePage,
  isAfterPlace,
  placeValues,
  readAtMost,
  readInstancePage,
} from '../../../agent-state/instance-page.ts'
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

const columns = 'credential_id, instance_id, edge_id, agent_id, environment_id, state, after_ms, kid, signature'

const shape = { scope: freezeScopes, state: ['any', ...freezeEdgeStates], isOpen: [false, true] } as const

// `scanned` are the instances that were read to find those that have not confirmed.
const pageOf = statementsBySight(shape, ({ sight, scope, state, isOpen }) => {
  const open = isOpen && state !== 'confirmed'
  const confirmed = state === 'any' || state === 'confirmed'
  const isWanted = state === 'any' || state === 'confirmed' ? 'true' : `u.state = '${state}'`
  const scanned = instancesInPlace(sight, scope, `${open} and ${isAfterPlace('i')}`, readAtMost)
  const found = `
      (select c.credential_id, c.instance_id, c.edge_id, c.agent_id, c.environment_id, 'confirmed' as state, c.after_ms, c.kid, c.signature
        from freeze_confirmations c
        where ${confirmed} and c.tenant_id = :tenantId and c.freeze_id = :freezeId and ${isAfterPlace('c')} and ${confirmationIsVisible(sight)}
        order by c.credential_id, c.instance_id limit :limit)
      union all
      (select ${columns} from (
        select i.credential_id, i.instance_id, e.id as edge_id, k.id as agent_id, i.environment_id,
          case when i.seen_at < :silentBefore::timestamptz then 'unreachable' else 'waiting' end as state,
          null::bigint as after_ms, null::text as kid, null::text as signature
        from ${unconfirmedOf(sight, scope, 'select * from scanned')}) u
        where ${isWanted} order by credential_id, instance_id limit :limit)`
  return namedSql<InstanceRow<FreezeEdge>>(instancePage(sight, scanned, found, ['after_ms', 'kid', 'signature']))
})

export interface EdgePage {
  instances: FreezeInstances
  /** True if the freeze still waits for confirmations. */
  isOpen: boolean
  state: (typeof freezeEdgeStates)[number] | undefined
  after: InstancePlace | undefined
  size: number
}

/** Returns a page of the instances of a freeze that the actor sees, and the place after which the next page begins. */
export async function findFreezeEdges(db: Sql, actor: Member, page: EdgePage, quiet: QuietTime) {
  const { instances, isOpen, state = 'any', after, size } = page
  const { scope, ...values } = instances
  const place = placeValues(after, size)
  const rows = await db.all(pageOf(actor, { scope, state, isOpen }, { ...values, ...quiet, ...place }))
  const { found, next } = readInstancePage<FreezeEdge>(rows, size)
  const data = found.map(({ credential_id: _, ended_credential: __, ended_instance: ___, ...edge }) => edge)
  return { data, next }
}
