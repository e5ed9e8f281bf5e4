import { type FreezePreview, type FreezeScope, freezeScopes } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sight } from '../../../authz/sight.ts'
import { agentVisibleTo, environmentVisibleTo, visibleAgentIds } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { boundedCount, countedAtMost } from '../../../db/lists/bounded-count.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw, sql } from '../../../db/statements/statement.ts'

/** What a freeze stops. `environmentId` is the environment of the agent, or the frozen environment. */
export interface FoundTarget {
  scope: FreezeScope
  id: string
  name: string
  environmentId: string | null
  /** Status of the agent. Only of an agent. */
  status?: string
}

export function findAgentTarget(db: Sql, actor: Member, id: string) {
  return db.maybe(
    sql
      .selectFrom('agents')
      .select(['id', 'name', 'environment_id', 'status'])
      .where('agents.tenant_id', '=', db.tenantId)
      .where('agents.id', '=', id)
      .where(agentVisibleTo(actor)),
  )
}

export function findEnvironmentTarget(db: Sql, actor: Member, id: string) {
  return db.maybe(
    sql
      .selectFrom('environments')
      .select(['id', 'name'])
      .where('environments.tenant_id', '=', db.tenantId)
      .where('environments.id', '=', id)
      .where(environmentVisibleTo(actor)),
  )
}

export function findOrganizationTarget(db: Sql): Promise<{ id: string; name: string }> {
  return db.one(raw<{ id: string; name: string }>('select id, name from tenants where id = $1', [db.tenantId]))
}

/** SQL condition on an agent `a`: the target covers it. */
const isCovered = {
  agent: 'a.id = :target',
  environment: 'a.environment_id = :target',
  organization: 'a.tenant_id = :target',
}

/** For a scoped user, at most 10,000 of the agents granted to them are tested. */
const grantedAgents = (sight: Sight) => `(select s.agent_id from (${visibleAgentIds(sight)}) s limit ${countedAtMost}) s
    join agents a on a.tenant_id = :tenantId and a.id = s.agent_id`

const isInPlace = (sight: Sight) => (sight === 'bound' ? 'a.environment_id = :environmentId' : 'true')
const isDirect = (sight: Sight) => sight === 'all' || sight === 'bound'

/** SQL for a `from` clause: the agents that the target covers and that the actor sees, without archived agents. */
const agentsOf = (sight: Sight, scope: FreezeScope) =>
  `${isDirect(sight) ? 'agents a' : grantedAgents(sight)}
    where a.tenant_id = :tenantId and a.status <> 'archived' and ${isCovered[scope]} and ${isInPlace(sight)}`

const isPending = `p.tenant_id = :tenantId and p.status = 'pending' and p.expires_at > :now::timestamptz`

/** SQL condition on an approval `p`: the target covers it. Approvals store the environment of their agent. */
const isOfTarget = {
  agent: 'p.agent_id = :target',
  environment: 'p.environment_id = :target',
  organization: 'p.tenant_id = :target',
}

const approvalsOf = (sight: Sight, scope: FreezeScope) =>
  isDirect(sight)
    ? `approvals p where ${isPending} and ${isOfTarget[scope]}
        and ${sight === 'bound' ? 'p.environment_id = :environmentId' : 'true'}`
    : `${grantedAgents(sight)} join approvals p on p.tenant_id = :tenantId and p.agent_id = a.id
        where ${isPending} and ${isCovered[scope]}`

const countsOf = statementsBySight({ scope: freezeScopes }, ({ sight, scope }) =>
  namedSql<Pick<FreezePreview, 'agents' | 'approvals'>>(`select ${boundedCount(agentsOf(sight, scope))} as agents,
    ${boundedCount(approvalsOf(sight, scope))} as approvals`),
)

/** Counts the agents and the pending approvals that the target covers and that the actor sees. Each count stops at 10,000. */
export function countCovered(db: Sql, actor: Member, { scope, id }: FoundTarget, now: string) {
  return db.one(countsOf(actor, { scope }, { target: id, now }))
}
