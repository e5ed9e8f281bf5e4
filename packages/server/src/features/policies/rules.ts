import { minimumPlans } from '@mandate/contract/words/plans'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { byAccessOnly, type Rule, type Rules } from '../../authz/may.ts'
import { conflict, forbidden, planRequired, type Refusal } from '../../refusal.ts'

/**
 * Returns the environment of a new policy. This is `sent`, the environment in the request. If the request names none, it is the
 * environment that the caller's key is bound to, or null, which means all environments.
 */
export function placeOfNewPolicy(actor: Member, sent: string | null | undefined): string | null {
  return sent === undefined ? boundEnvironment(actor) : sent
}

/**
 * Returns the 403 for a caller who may not save a policy for this environment. Null means all environments: the caller must see
 * the whole tenant. A bound key saves policies of its environment only. Does not check that the environment exists and that the
 * caller has access to it.
 */
export function placementRefusal(actor: Member, environmentId: string | null): Refusal | undefined {
  const bound = boundEnvironment(actor)
  if (bound !== null && environmentId !== bound) {
    return forbidden('an API key bound to an environment can only save policies of its own environment')
  }
  return environmentId === null && !seesWholeTenant(actor) ? forbidden(everywhereText) : undefined
}

/** Returns the 403 for a bound key that names an environment other than its own. */
export function foreignEnvironmentRefusal(actor: Member, environmentId: string): Refusal | undefined {
  const bound = boundEnvironment(actor)
  if (bound === null || bound === environmentId) return undefined
  return forbidden('an API key bound to an environment can only name its own environment')
}

const everywhereText = 'only a user with access to the whole organization may save a policy for all environments'
const outOfReachText = 'this policy belongs to an environment that you have no access to'

/** The tenant's plan, and whether it includes content rules. */
export interface PlanStanding {
  plan: string
  reaches: boolean
}

/** Returns the 402 for content rules in a plan that does not include them. */
export function contentRulesRefusal({ plan, reaches }: PlanStanding): Refusal | undefined {
  return reaches ? undefined : planRequired(minimumPlans.contentRules, plan)
}

/** A policy, and whether the caller may save it. */
export interface PolicyReach {
  environment_id: string | null
  in_reach: boolean
}

/** Returns the 403 for a policy that the caller sees but may not change. */
export function reachRefusal({ in_reach, environment_id }: PolicyReach): Refusal | undefined {
  if (in_reach) return undefined
  return forbidden(environment_id === null ? everywhereText : outOfReachText)
}

/** Returns the 409 for the deletion of a policy that agents use. Archived agents do not count. */
export function inUseRefusal(isInUse: boolean): Refusal | undefined {
  return isInUse ? conflict('agents use this policy; assign another policy to them first') : undefined
}

export interface PolicyStanding extends PolicyReach {
  in_use: boolean
}

const saves: Rule<PolicyStanding> = (_, policy) => reachRefusal(policy)

export const policyRules: Rules<PolicyStanding> = {
  updatePolicy: saves,
  replacePolicy: saves,
  deletePolicy: (_, policy) => reachRefusal(policy) ?? inUseRefusal(policy.in_use),
  createRule: saves,
  updateRule: saves,
  deleteRule: saves,
  restorePolicyVersion: saves,
  replaceContentBindings: saves,
  simulatePolicy: byAccessOnly,
}
