import type { RawBuilder } from 'kysely'
import type { Member } from '../authz/actor.ts'
import { fragmentsBySight } from '../authz/by-sight.ts'
import { hasAuthority, seesWholeTenant } from '../authz/can.ts'
import type { Sight } from '../authz/sight.ts'
import { agentOfRecordIsVisible, hasAccessToEnvironmentOf, narrowedBy, policyIsVisible } from '../authz/visibility.ts'
import { namedSql } from '../db/statements/named-parameters.ts'

const entryCondition = fragmentsBySight({ isManager: [false, true] }, ({ sight, isManager }) =>
  namedSql<boolean>(entryIsVisible(sight, isManager)),
)

/** SQL condition for the query builder: `actor` may read the audit entry in row `e` of audit_entries. */
export function entryVisibleTo(actor: Member): RawBuilder<boolean> {
  return entryCondition(actor, { isManager: hasAuthority(actor, 'manager') })
}

export function seesEveryEntry(actor: Member): boolean {
  return seesWholeTenant(actor) && hasAuthority(actor, 'manager')
}

/**
 * Only owners and managers who see the whole tenant may read entries of the categories `people` and `organization`. Entries of
 * the categories `agent` and `policy` may be read by every actor who sees the agent or the policy.
 */
export function entryIsVisible(sight: Sight, isManager: boolean): string {
  if (sight === 'all') return isManager ? 'true' : `e.category in ('agent', 'policy')`
  return `((e.category = 'agent' and ${agentOfRecordIsVisible(sight, 'e')})
    or (e.category = 'policy' and (${isOfVisiblePolicy(sight)} or ${isOfDeletedPolicy(sight)})))`
}

const isOfVisiblePolicy = (sight: Sight) => `exists (select from policies p
  where p.tenant_id = e.tenant_id and p.id = e.resource_id and ${policyIsVisible(sight, 'p')})`

/**
 * The row of a deleted policy no longer exists, so the environment that is stored in the entry decides who may read it. If the
 * entry has no environment, the policy applied to all environments.
 */
function isOfDeletedPolicy(sight: Sight): string {
  const isInSight = narrowedBy(sight, {
    bound: 'e.environment_id = :environmentId',
    scoped: `(e.environment_id is null or ${hasAccessToEnvironmentOf('e')})`,
  })
  return `(${isInSight} and not exists (select from policies p where p.tenant_id = e.tenant_id and p.id = e.resource_id))`
}
