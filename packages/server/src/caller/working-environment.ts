import type { Member } from '../authz/actor.ts'
import { anyLike, sightOf, sightValues } from '../authz/sight.ts'
import { environmentVisibleTo } from '../authz/visibility.ts'
import type { Sql, Tx } from '../db/database.ts'
import { shapedStatement, slot } from '../db/shaped-statement.ts'
import { type RawStatement, sql } from '../db/statement.ts'

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

const columns = [
  'environments.id',
  'environments.name',
  'environments.slug',
  'environments.is_production',
  'environments.governance_mode',
  'environments.wire_json',
  'tenants.governance_gate',
] as const

const working = (actor: Member) =>
  sql
    .selectFrom('environments')
    .innerJoin('tenants', 'tenants.id', 'environments.tenant_id')
    .select(columns)
    .where('environments.tenant_id', '=', slot('tenantId'))
    .where('environments.id', '=', slot('id'))
    .where(environmentVisibleTo(anyLike(actor)))

const texts = { found: working, held: (actor: Member) => working(actor).forKeyShare('environments') }

type Shaped = (values: Record<string, unknown>) => RawStatement<unknown>

const shapes: Record<keyof typeof texts, Map<string, Shaped>> = {
  found: new Map(),
  held: new Map(),
}

function statementOf<Row>(use: keyof typeof texts, db: Sql, actor: Member, values: object): RawStatement<Row> {
  const sight = sightOf(actor)
  let shaped = shapes[use].get(sight)
  if (!shaped) {
    shaped = shapedStatement<unknown>(texts[use](actor))
    shapes[use].set(sight, shaped)
  }
  return shaped({ tenantId: db.tenantId, ...values, ...sightValues(actor) }) as RawStatement<Row>
}

/** An environment the actor works in; undefined for any other, exactly as for an unknown id. */
export function findEnvironment(db: Sql, actor: Member, id: string) {
  return db.maybe(statementOf<WorkingEnvironment>('found', db, actor, { id }))
}

/** As `findEnvironment`, kept from being deleted until the transaction ends. */
export function holdEnvironment(tx: Tx, actor: Member, id: string) {
  return tx.maybe(statementOf<WorkingEnvironment>('held', tx, actor, { id }))
}
