import type { Member } from '../authz/actor.ts'
import { statementsBySight } from '../authz/by-sight.ts'
import { environmentIsVisible } from '../authz/visibility.ts'
import type { Sql, Tx } from '../db/database.ts'
import { namedSql } from '../db/statements/named-parameters.ts'

export interface WorkingEnvironment {
  id: string
  name: string
  slug: string
  is_production: boolean
  /** The governance mode that applies to agents of this environment if their policy does not override it. */
  governance_mode: 'enforce' | 'monitor'
  /** The JSON of the field `environment` in the JSON of an agent. */
  wire_json: string
  /** The tenant's governance gate. It decides the initial state of an agent that is created in this environment. */
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

/** Finds an environment that the actor may use. Returns undefined for an unknown id and for all other environments. */
export function findEnvironment(db: Sql, actor: Member, id: string) {
  return db.maybe(environmentStatement(actor, { isLocked: false }, { id }))
}

/** Like `findEnvironment`. Also locks the environment, so that it cannot be deleted until the transaction ends. */
export function lockEnvironmentForKeyShare(tx: Tx, actor: Member, id: string) {
  return tx.maybe(environmentStatement(actor, { isLocked: true }, { id }))
}
