import type { ToolState } from '@mandate/contract/words/tool-words'
import type { Snapshot } from '@mandate/policy/types'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import { agentIsVisible, policyIsVisible, testedAgentIsVisible } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import { argumentsByEdges, stateOfTool } from '../tool-queries.ts'

/** A tool, as far as reach needs it. `closed` is true if every call is denied whatever the policy says. */
export interface ReachedTool {
  id: string
  tool: string
  closed: boolean
  labels: string[]
  state: ToolState
  /** The arguments that the tool declares, by a definition of an edge that nobody contradicts. Null if they are not known. */
  declared_args: string[] | null
}

const known = `t.labels, ${stateOfTool('$3')} as state, ${argumentsByEdges('$3')} as declared_args`
const closed = `(t.block_reason is not null or (e.tool_pinning = 'enforce' and cardinality(t.pins) = 0)) as closed`
const joined = 'from tools t join environments e on e.tenant_id = $1 and e.id = t.environment_id'

/** Returns the tools of an environment by name. There are at most 5,000. */
export function findToolsOf(db: Sql, environmentId: string, now: string) {
  const text = `select t.id, t.tool, ${closed}, ${known} ${joined} where t.tenant_id = $1 and t.environment_id = $2 order by t.tool`
  return db.all(raw<ReachedTool>(text, [db.tenantId, environmentId, now]))
}

export function findReachedTool(db: Sql, id: string, now: string) {
  const text = `select t.id, t.tool, ${closed}, ${known} ${joined} where t.tenant_id = $1 and t.id = $2`
  return db.one(raw<ReachedTool>(text, [db.tenantId, id, now]))
}

const visibleAgent = statementsBySight({}, ({ sight }) =>
  namedSql<{ environment_id: string | null }>(
    `select a.environment_id from agents a where a.tenant_id = :tenantId and a.id = :id and ${agentIsVisible(sight, 'a')}`,
  ),
)

/** Returns the environment of an agent that the actor sees. */
export function findAgentPlace(db: Sql, actor: Member, id: string) {
  return db.maybe(visibleAgent(actor, {}, { id }))
}

const runningVersion = statementsBySight({}, ({ sight }) =>
  namedSql<{ snapshot: Snapshot }>(`
    select v.snapshot from agent_runtime r
    join policies p on p.tenant_id = r.tenant_id and p.id = r.running_policy_id and ${policyIsVisible(sight, 'p')}
    join policy_versions v on v.tenant_id = p.tenant_id and v.policy_id = p.id and v.version = r.running_version
      and v.content_hash = r.running_hash
    where r.tenant_id = :tenantId and r.agent_id = :id`),
)

/** Returns the version of a policy that an edge reported last for an agent, if the actor sees the policy and the reported content is that of the version. */
export function findRunning(db: Sql, actor: Member, id: string) {
  return db.maybe(runningVersion(actor, {}, { id }))
}

// The agents of the environment are read first, and then tested, so that the cost does not depend on how many of them the actor sees.
const agentsAfter = statementsBySight({}, ({ sight }) =>
  namedSql<{ id: string; is_seen: boolean }>(`
    with next as materialized (
      select a.* from agents a where a.tenant_id = :tenantId and a.environment_id = :environment::uuid and a.id > :after::uuid
      order by a.id limit :most)
    select a.id, coalesce(a.status <> 'archived' and ${testedAgentIsVisible(sight, 'a')}, false) as is_seen from next a order by a.id`),
)

/** Returns the next agents of an environment by id. `is_seen` is false for archived agents and for those that the actor does not see. */
export function findAgentsAfter(db: Sql, actor: Member, environmentId: string, after: string, most: number) {
  return db.all(agentsAfter(actor, {}, { environment: environmentId, after, most }))
}
