import type { Member } from '../authz/actor.ts'
import { statementsBySight } from '../authz/by-sight.ts'
import { environmentIsVisible } from '../authz/visibility.ts'
import type { Sql, Tx } from '../db/database.ts'
import { namedSql } from '../db/named-parameters.ts'

export interface WorkingEnvironment {
  id: string
  name: string
  slug: string
  is_production: boolean
  /** What an agent of the environment follows whose policy inherits. */
  governance_mode: 'enforce' | 'monitor'
  /** The environment as agents show it. */
  wire_json: string
  /** The tenant's, which says what becomes of an agent that is put there. */
  governance_gate: 'off' | 'alert' | 'enforce'
}

const environmentStatement = statementsBySight({ isLocked: [false, true] }, ({ sight, isLocked }) =>
  namedSql<WorkingEnvironment>(`
    select environments.id, environments.name, environments.slug, environments.is_production, environments.governance_mode,
      environments.wire_json, tenants.governance_gate
    from environments join tenants on tenants.id = environments.tenant_id
    where environments.tenant_id = :tenantId and environments.id = :id and ${environmentIsVisible(sight)}
    ${isLocked ? 'for key share of environments' : ''}`),
)

/** An environment the actor works in; undefined for any other, exactly as for an unknown id. */
export function findEnvironment(db: Sql, actor: Member, id: string) {
  return db.maybe(environmentStatement(actor, { isLocked: false }, { id }))
}

/** As `findEnvironment`, kept from being deleted until the transaction ends. */
export function holdEnvironment(tx: Tx, actor: Member, id: string) {
  return tx.maybe(environmentStatement(actor, { isLocked: true }, { id }))
}
