import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from './actor.ts'
import { boundEnvironment } from './can.ts'

/**
 * A condition on a row `alias` of agents: a scoped user sees the agents granted to them, an environment-bound key its
 * environment's, and a scoped user's bound key what both allow.
 */
export function agentVisibleTo(actor: Member, alias = 'agents'): RawBuilder<boolean> {
  const agent = fragment.ref(alias)
  const environmentId = boundEnvironment(actor)
  const inEnvironment = environmentId === null ? fragment`true` : fragment`${agent}.environment_id = ${environmentId}`
  if (actor.accessScope === 'all') return fragment<boolean>`(${inEnvironment})`
  return fragment<boolean>`(${inEnvironment} and exists (select from agent_grants g
    where g.tenant_id = ${agent}.tenant_id and g.agent_id = ${agent}.id and g.user_id = ${actor.userId}))`
}

/**
 * A condition on a row `alias` with an `agent_id`, for an actor who sees a part of the agents: they see the row's agent. Null means no.
 * It costs a look-up for each row, however many agents the actor sees. With `exists` the planner may read all these agents first.
 */
export function agentInSightOf(actor: Member, alias: string): RawBuilder<boolean> {
  const { tenantId, userId } = actor
  const agentId = fragment.ref(`${alias}.agent_id`)
  const environmentId = boundEnvironment(actor)
  const inEnvironment = fragment`(select true from agents a
    where a.tenant_id = ${tenantId} and a.id = ${agentId} and a.environment_id = ${environmentId} limit 1)`
  const granted = fragment`(select true from agent_grants g
    where g.tenant_id = ${tenantId} and g.user_id = ${userId} and g.agent_id = ${agentId} limit 1)`
  const conditions = [
    ...(actor.accessScope === 'all' ? [] : [granted]),
    ...(environmentId === null ? [] : [inEnvironment]),
  ]
  return fragment<boolean>`(${fragment.join(conditions, fragment` and `)})`
}

/** A condition on a row `alias` of environments, in the same sense: a scoped user sees those they have access to. */
export function environmentVisibleTo(actor: Member, alias = 'environments'): RawBuilder<boolean> {
  const environment = fragment.ref(alias)
  const environmentId = boundEnvironment(actor)
  const isOwn = environmentId === null ? fragment`true` : fragment`${environment}.id = ${environmentId}`
  if (actor.accessScope === 'all') return fragment<boolean>`(${isOwn})`
  return fragment<boolean>`(${isOwn} and exists (select from environment_access a
    where a.tenant_id = ${environment}.tenant_id and a.environment_id = ${environment}.id and a.user_id = ${actor.userId}))`
}

/**
 * A condition on a row `alias` of policies: a scoped user sees those of every environment, of the environments they have
 * access to, and those of the agents granted to them; an environment-bound key its environment's.
 */
export function policyVisibleTo(actor: Member, alias = 'policies'): RawBuilder<boolean> {
  const policy = fragment.ref(alias)
  const environmentId = boundEnvironment(actor)
  const inEnvironment = environmentId === null ? fragment`true` : fragment`${policy}.environment_id = ${environmentId}`
  if (actor.accessScope === 'all') return fragment<boolean>`(${inEnvironment})`
  return fragment<boolean>`(${inEnvironment} and (${policy}.environment_id is null
    or ${hasAccessToEnvironmentOf(actor, alias)}
    or exists (select from agents a join agent_grants g on g.tenant_id = a.tenant_id and g.agent_id = a.id
      where a.tenant_id = ${policy}.tenant_id and a.policy_id = ${policy}.id and g.user_id = ${actor.userId})))`
}

/** Whether the actor works wherever a row `alias` of policies applies, and so may save it. */
export function policyInReachOf(actor: Member, alias = 'policies'): RawBuilder<boolean> {
  const environmentId = boundEnvironment(actor)
  const isOwn =
    environmentId === null ? fragment`true` : fragment`${fragment.ref(alias)}.environment_id = ${environmentId}`
  if (actor.accessScope === 'all') return fragment<boolean>`coalesce(${isOwn}, false)`
  return fragment<boolean>`coalesce(${isOwn} and ${hasAccessToEnvironmentOf(actor, alias)}, false)`
}

/** A condition on a row `alias` of reports: those of the environments the actor works in; all for who sees everything. */
export function reportVisibleTo(actor: Member, alias = 'reports'): RawBuilder<boolean> {
  return policyInReachOf(actor, alias)
}

function hasAccessToEnvironmentOf(actor: Member, alias: string): RawBuilder<boolean> {
  const row = fragment.ref(alias)
  return fragment<boolean>`exists (select from environment_access x
    where x.tenant_id = ${row}.tenant_id and x.environment_id = ${row}.environment_id and x.user_id = ${actor.userId})`
}
