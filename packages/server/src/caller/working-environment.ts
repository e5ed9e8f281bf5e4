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
  /** The governance mode of the environment's agents whose policy inherits. */
  governance_mode: 'enforce' | 'monitor'
  /** The environment's JSON as agents show it. */
  wire_json: string
  /** The tenant's governance gate, which decides how an agent begins that is placed here. */
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

/** An environment that the actor works in. Undefined for any other and for an unknown id. */
export function findEnvironment(db: Sql, actor: Member, id: string) {
  return db.maybe(environmentStatement(actor, { isLocked: false }, { id }))
}

/** Like `findEnvironment`, and locks the environment against deletion until the transaction ends. */
export function holdEnvironment(tx: Tx, actor: Member, id: string) {
  return tx.maybe(environmentStatement(actor, { isLocked: true }, { id }))
}
