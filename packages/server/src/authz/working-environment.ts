import type { Sql, Tx } from '../db/database.ts'
import { shapedStatement, slot } from '../db/shaped-statement.ts'
import { type RawStatement, sql } from '../db/statement.ts'
import type { Member } from './actor.ts'
import { anyLike, sightOf, sightValues } from './sight.ts'
import { environmentVisibleTo } from './visibility.ts'

export interface WorkingEnvironment {
  id: string
  name: string
  slug: string
  is_production: boolean
  /** The tenant's, which says what becomes of an agent that is put there. */
  governance_gate: 'off' | 'alert' | 'enforce'
}

const working = (actor: Member) =>
  sql
    .selectFrom('environments')
    .innerJoin('tenants', 'tenants.id', 'environments.tenant_id')
    .select(['environments.id', 'environments.name', 'environments.slug', 'is_production', 'governance_gate'])
    .where('environments.tenant_id', '=', slot('tenantId'))
    .where('environments.id', '=', slot('id'))
    .where(environmentVisibleTo(anyLike(actor)))

type Shaped = (values: Record<string, unknown>) => RawStatement<WorkingEnvironment>

const shapes = { found: new Map<string, Shaped>(), held: new Map<string, Shaped>() }

function statementOf(use: keyof typeof shapes, db: Sql, actor: Member, id: string): RawStatement<WorkingEnvironment> {
  const sight = sightOf(actor)
  let shaped = shapes[use].get(sight)
  if (!shaped) {
    shaped = shapedStatement(use === 'held' ? working(actor).forKeyShare('environments') : working(actor))
    shapes[use].set(sight, shaped)
  }
  return shaped({ tenantId: db.tenantId, id, ...sightValues(actor) })
}

/** An environment the actor works in; undefined for any other, exactly as for an unknown id. */
export function findEnvironment(db: Sql, actor: Member, id: string) {
  return db.maybe(statementOf('found', db, actor, id))
}

/** As `findEnvironment`, kept from being deleted until the transaction ends. */
export function holdEnvironment(tx: Tx, actor: Member, id: string) {
  return tx.maybe(statementOf('held', tx, actor, id))
}
