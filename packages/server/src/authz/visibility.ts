import type { RawBuilder } from 'kysely'
import { namedSql } from '../db/statements/named-parameters.ts'
import type { Member } from './actor.ts'
import { fragmentsBySight } from './by-sight.ts'
import type { Sight } from './sight.ts'

// The visibility conditions are SQL texts with the named parameters of `sightValues`. A text depends only on the actor's sight,
// which is one of four kinds of access. Ids and other data of the actor are passed as parameter values, never in the text.

type AgentAlias = 'agents' | 'a'
type PolicyAlias = 'policies' | 'p'
type RecordAlias = 'r' | 'e'

/**
 * Returns an SQL condition that is true for the rows that the actor may see.
 * - For an API key that is bound to an environment: `bound`.
 * - For a scoped user: `scoped`.
 * - For a bound key of a scoped user: both conditions, joined by `and`.
 * - For all other actors: `true`.
 */
export function narrowedBy(sight: Sight, { bound, scoped }: { bound: string; scoped: string }): string {
  const conditions = { all: 'true', bound, scoped, 'scoped+bound': `${bound} and ${scoped}` }
  return `(${conditions[sight]})`
}

/**
 * SQL condition: the actor sees the agent. `agent` is the SQL alias of the agent's row. A scoped user sees the agents granted
 * to them. An environment-bound key sees the agents of its environment. A bound key of a scoped user sees the agents that both
 * rules allow.
 */
export function agentIsVisible(sight: Sight, agent: AgentAlias): string {
  return narrowedBy(sight, {
    bound: `${agent}.environment_id = :environmentId`,
    scoped: `exists (select from agent_grants g
      where g.tenant_id = ${agent}.tenant_id and g.agent_id = ${agent}.id and g.user_id = :userId)`,
  })
}

/** SQL for true if the actor has a grant for the agent with this id, else null. PostgreSQL looks it up in an index for each row. */
const grantOf = (agentId: string) => `(select true from agent_grants g
    where g.tenant_id = :tenantId and g.user_id = :userId and g.agent_id = ${agentId} limit 1)`

/**
 * Like `agentIsVisible`, for statements that test a limited number of agents. Looks up the grant of each of these agents, so the cost does
 * not depend on how many agents the actor sees. With `exists`, PostgreSQL might compare each agent with all grants of the actor.
 * A result of null means no.
 */
export function testedAgentIsVisible(sight: Sight, agent: AgentAlias): string {
  return narrowedBy(sight, {
    bound: `${agent}.environment_id = :environmentId`,
    scoped: grantOf(`${agent}.id`),
  })
}

/**
 * SQL condition on a row with an `agent_id`: the actor sees the agent of this row. A result of null means no. The condition
 * looks up the agent of each row, so its cost does not depend on how many agents the actor sees. With `exists`, the planner
 * might first read all agents that the actor sees.
 */
export function agentOfRecordIsVisible(sight: Sight, record: RecordAlias): string {
  const inEnvironment = `(select true from agents a
    where a.tenant_id = :tenantId and a.id = ${record}.agent_id and a.environment_id = :environmentId limit 1)`
  const granted = grantOf(`${record}.agent_id`)
  return { all: 'true', bound: inEnvironment, scoped: granted, 'scoped+bound': `(${granted} and ${inEnvironment})` }[
    sight
  ]
}

/** Like `agentOfRecordIsVisible` for the grants of a scoped user, for statements that test many rows. Reads all grants of the user once. */
export const agentOfRecordIsGranted = (record: RecordAlias): string =>
  `${record}.agent_id in (select g.agent_id from agent_grants g where g.tenant_id = :tenantId and g.user_id = :userId)`

/** SQL that selects the `agent_id` of each agent that the actor sees. */
export function visibleAgentIds(sight: Sight): string {
  const granted = 'select g.agent_id from agent_grants g where g.tenant_id = :tenantId and g.user_id = :userId'
  const ofTenant = 'select a.id as agent_id from agents a where a.tenant_id = :tenantId'
  return {
    all: ofTenant,
    bound: `${ofTenant} and a.environment_id = :environmentId`,
    scoped: granted,
    'scoped+bound': `${granted} and exists (select from agents a
      where a.tenant_id = :tenantId and a.id = g.agent_id and a.environment_id = :environmentId)`,
  }[sight]
}

/**
 * SQL condition: the actor sees the row of `environments`. A scoped user sees the environments that they have access to. An
 * environment-bound key sees its environment.
 */
export function environmentIsVisible(sight: Sight): string {
  return narrowedBy(sight, {
    bound: 'environments.id = :environmentId',
    scoped: `exists (select from environment_access a where a.tenant_id = environments.tenant_id
      and a.environment_id = environments.id and a.user_id = :userId)`,
  })
}

/**
 * SQL condition: the actor sees the policy. `policy` is the SQL alias of the policy's row. A scoped user sees the policies that
 * apply to every environment, and the policies of the environments and agents that they have access to. An environment-bound
 * key sees the policies of its environment.
 */
export function policyIsVisible(sight: Sight, policy: PolicyAlias): string {
  return narrowedBy(sight, {
    bound: `${policy}.environment_id = :environmentId`,
    scoped: `(${policy}.environment_id is null
      or ${hasAccessToEnvironmentOf(policy)}
      or exists (select from agents a join agent_grants g on g.tenant_id = a.tenant_id and g.agent_id = a.id
        where a.tenant_id = ${policy}.tenant_id and a.policy_id = ${policy}.id and g.user_id = :userId))`,
  })
}

/**
 * Like `policyIsVisible`, for a statement that tests many policies `p`. Looks up each agent that is granted to a scoped user once, for all of
 * the policies.
 */
export function listedPolicyIsVisible(sight: Sight): string {
  return narrowedBy(sight, {
    bound: 'p.environment_id = :environmentId',
    scoped: `(p.environment_id is null or ${hasAccessToEnvironmentOf('p')} or p.id in (select a.policy_id from agent_grants g
      cross join lateral (select a.policy_id from agents a where a.tenant_id = :tenantId and a.id = g.agent_id offset 0) a
      where g.tenant_id = :tenantId and g.user_id = :userId and a.policy_id is not null))`,
  })
}

/**
 * SQL condition: the actor has access to every environment that the row applies to. This is required to save a policy and to
 * see a report.
 */
export function isInReach(sight: Sight, row: 'policies' | 'reports'): string {
  const condition = narrowedBy(sight, {
    bound: `${row}.environment_id = :environmentId`,
    scoped: hasAccessToEnvironmentOf(row),
  })
  return `coalesce(${condition}, false)`
}

/** SQL condition on a row with a `tenant_id` and an `environment_id`: the user has access to the environment. */
export const hasAccessToEnvironmentOf = (row: PolicyAlias | 'reports' | 'e'): string =>
  `exists (select from environment_access x
    where x.tenant_id = ${row}.tenant_id and x.environment_id = ${row}.environment_id and x.user_id = :userId)`

/**
 * Returns a function that creates an SQL condition for the query builder. The condition is true for the rows that the actor may
 * see. `aliases` lists the SQL aliases that a query may use for the table. The default is the first alias.
 */
function forActor<const Alias extends string>(
  aliases: readonly [Alias, ...Alias[]],
  build: (sight: Sight, alias: Alias) => string,
): (actor: Member, alias?: Alias) => RawBuilder<boolean> {
  const conditionOf = fragmentsBySight({ alias: aliases }, ({ sight, alias }) => namedSql<boolean>(build(sight, alias)))
  return (actor, alias = aliases[0]) => conditionOf(actor, { alias })
}

export const agentVisibleTo = forActor(['agents', 'a'], agentIsVisible)
export const agentOfRecordVisibleTo = forActor(['r'], agentOfRecordIsVisible)
export const environmentVisibleTo = forActor(['environments'], environmentIsVisible)
export const policyVisibleTo = forActor(['policies', 'p'], policyIsVisible)
export const policyInReachOf = forActor(['policies'], isInReach)
export const reportVisibleTo = forActor(['reports'], isInReach)
