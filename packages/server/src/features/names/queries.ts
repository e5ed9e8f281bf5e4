import type { NamedKind } from '@mandate/contract/endpoint/names'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import type { Sight } from '../../authz/sight.ts'
import { agentIsVisible, environmentIsVisible, isInReach, policyIsVisible } from '../../authz/visibility.ts'
import type { Sql } from '../../db/database.ts'
import { namedSql } from '../../db/statements/named-parameters.ts'
import { raw } from '../../db/statements/statement.ts'

export interface NamedRow {
  id: string
  name: string
}

/** Returns the names of the objects of one kind that exist and that the actor sees. */
export function findNames(db: Sql, actor: Member, kind: NamedKind, ids: readonly string[]): Promise<NamedRow[]> {
  return db.all(namesOf[kind](actor, {}, { ids }))
}

const namesBySight = (text: (sight: Sight) => string) =>
  statementsBySight({}, ({ sight }) => namedSql<NamedRow>(text(sight)))

// The list of users, platforms and their names is the same for every member of the tenant.
const namesOf = {
  agent: namesBySight(
    (sight) => `select a.id, a.name from agents a
      where a.tenant_id = :tenantId and a.id = any(:ids::uuid[]) and ${agentIsVisible(sight, 'a')}`,
  ),
  edge: namesBySight(
    (sight) => `select edges.id, edges.name from edges
      join environments on environments.tenant_id = edges.tenant_id and environments.id = edges.environment_id
      where edges.tenant_id = :tenantId and edges.id = any(:ids::uuid[]) and ${environmentIsVisible(sight)}`,
  ),
  environment: namesBySight(
    (sight) => `select environments.id, environments.name from environments
      where environments.tenant_id = :tenantId and environments.id = any(:ids::uuid[]) and ${environmentIsVisible(sight)}`,
  ),
  platform: namesBySight(
    () => 'select p.id, p.name from platforms p where p.tenant_id = :tenantId and p.id = any(:ids::uuid[])',
  ),
  policy: namesBySight(
    (sight) => `select p.id, p.name from policies p
      where p.tenant_id = :tenantId and p.id = any(:ids::uuid[]) and ${policyIsVisible(sight, 'p')}`,
  ),
  report: namesBySight(
    (sight) => `select reports.id, reports.title as name from reports
      where reports.tenant_id = :tenantId and reports.id = any(:ids::uuid[]) and ${isInReach(sight, 'reports')}`,
  ),
  rule: namesBySight(
    (sight) => `select r.id, r.name from policy_rules r
      join policies p on p.tenant_id = r.tenant_id and p.id = r.policy_id
      where r.tenant_id = :tenantId and r.id = any(:ids::uuid[]) and ${policyIsVisible(sight, 'p')}`,
  ),
  user: namesBySight(
    () => `select u.id, coalesce(nullif(u.display_name, ''), u.email) as name from users u
      where u.tenant_id = :tenantId and u.id = any(:ids::uuid[])`,
  ),
} satisfies Record<NamedKind, unknown>

/** Returns the names of removed users, each from the newest audit entry about the user. */
export function findRemovedUserNames(db: Sql, ids: readonly string[]): Promise<NamedRow[]> {
  const text = `select i.id, e.name from unnest($2::uuid[]) i (id)
    cross join lateral (select x.resource_type, x.resource_name as name from audit_entries x
      where x.tenant_id = $1 and x.resource_id = i.id order by x.id desc limit 1) e
    where e.resource_type = 'user' and e.name <> ''`
  return db.all(raw<NamedRow>(text, [db.tenantId, ids]))
}
