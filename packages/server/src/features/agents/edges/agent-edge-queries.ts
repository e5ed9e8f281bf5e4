import type { AgentEdge } from '@mandate/contract/agent-edges'
import { freezeEdgeStates } from '@mandate/contract/freezes'
import {
  carriesAgent,
  instancesWith,
  isSilent,
  mostInstancesTested,
  runningInstances,
} from '../../../agent-state/edge-instances.ts'
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
import type { Sight } from '../../../authz/sight.ts'
import type { Sql } from '../../../db/database.ts'
import { countedAtMost } from '../../../db/lists/bounded-count.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'
import type { quietAt } from '../../edge/reach/quiet.ts'

/** SQL condition on a confirmation `c`: it is of the newest profile, or of any profile since the suspension that denies every call. */
const isNewest = `coalesce((c.profile_hash = :hash and c.profile_seq = :seq::bigint) or c.stopped_at >= :suspendedAt::timestamptz, false)`

const confirmationColumns = ['profile_seq', 'received_at', 'stopped_at', 'kid'] as const

/** SQL: the first instances that carry the agent, in the order of their names, with what each confirmed of the agent. */
const carriers = (sight: Sight, condition: string, limit: number) => `
  select i.*, ${isNewest} as is_newest, ${confirmationColumns.map((column) => `c.${column}`).join(', ')}
  from (${instancesWith(sight, `${carriesAgent} and ${condition}`)} order by i.credential_id, i.instance_id limit ${limit}) i
  left join profile_confirmations c on c.tenant_id = :tenantId and c.agent_id = :agentId and c.credential_id = i.credential_id
    and c.instance_id = i.instance_id`

const stateOf = `case when i.is_newest then 'confirmed' when ${isSilent} then 'unreachable' else 'waiting' end`

const pageOf = statementsBySight({ state: ['any', ...freezeEdgeStates] }, ({ sight, state }) => {
  const found = `
    select i.credential_id, i.instance_id, e.id as edge_id, k.id as agent_id, i.environment_id, ${stateOf} as state,
      case when i.is_newest and i.started_at <= :suspendedAt::timestamptz
        then (extract(epoch from i.stopped_at - :suspendedAt::timestamptz) * 1000)::bigint end as after_ms,
      i.profile_seq, i.received_at as confirmed_at, i.kid
    from ${runningInstances(sight, 'select * from scanned')} and ${state === 'any' ? 'true' : `${stateOf} = '${state}'`}
    order by i.credential_id, i.instance_id limit :limit`
  const columns = ['after_ms', 'profile_seq', 'confirmed_at', 'kid']
  return namedSql<InstanceRow<AgentEdge>>(
    instancePage(sight, carriers(sight, isAfterPlace('i'), readAtMost), found, columns),
  )
})

const countsOf = statementsBySight({}, ({ sight }) =>
  namedSql<Record<AgentEdge['state'], number>>(`
    select ${freezeEdgeStates.map((state) => `least(count(*) filter (where n.state = '${state}'), ${countedAtMost}) as ${state}`).join(', ')}
    from (select ${stateOf} as state from ${runningInstances(sight, carriers(sight, 'true', mostInstancesTested))}) n`),
)

/** What a confirmation is compared with. */
export interface Newest {
  agentId: string
  hash: string
  /** Null if no request got the newest profile yet. */
  seq: number | null
  suspendedAt: string | null
}

type Quiet = ReturnType<typeof quietAt>

/** Counts the running instances that carry an agent and that the actor sees. Each count stops at 10,000. */
export function countAgentEdges(db: Sql, actor: Member, newest: Newest, quiet: Quiet) {
  return db.one(countsOf(actor, {}, { ...newest, ...quiet }))
}

interface EdgePage {
  state: AgentEdge['state'] | undefined
  after: InstancePlace | undefined
  size: number
}

/** Returns a page of these instances, and the place after which the next page begins. */
export async function findAgentEdges(db: Sql, actor: Member, newest: Newest, page: EdgePage, quiet: Quiet) {
  const { state = 'any', after, size } = page
  const rows = await db.all(pageOf(actor, { state }, { ...newest, ...quiet, ...placeValues(after, size) }))
  const { found, next } = readInstancePage<AgentEdge>(rows, size)
  const data = found.map(({ credential_id: _, ended_credential: __, ended_instance: ___, ...edge }) => edge)
  return { data, next }
}

/** Number of the newest audit entries of the agent among which the suspension is looked up. */
const testedAtMost = 1000

const suspensionOf = namedStatement(
  namedSql<{ at: string }>(`select e.created_at as at
    from (select e.event_type, e.created_at, e.id from audit_entries e where e.tenant_id = :tenantId and e.agent_id = :agentId
      order by e.id desc limit ${testedAtMost}) e
    where e.event_type = 'agent.suspended' order by e.id desc limit 1`),
)

/** Returns when a suspended agent was suspended. Null if many things have happened to it since then. */
export async function findSuspension(db: Sql, agentId: string): Promise<string | null> {
  return (await db.maybe(suspensionOf({ tenantId: db.tenantId, agentId })))?.at ?? null
}
