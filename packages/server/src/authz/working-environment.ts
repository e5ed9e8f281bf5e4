import { sql as fragment } from 'kysely'
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
  /** What an agent of the environment follows whose policy inherits. */
  governance_mode: 'enforce' | 'monitor'
  /** The environment as agents show it. */
  wire_json: string
  /** The tenant's, which says what becomes of an agent that is put there. */
  governance_gate: 'off' | 'alert' | 'enforce'
}

const working = (actor: Member) =>
  sql
    .selectFrom('environments')
    .innerJoin('tenants', 'tenants.id', 'environments.tenant_id')
    .select(['environments.id', 'environments.name', 'environments.slug', 'is_production', 'governance_mode'])
    .select(['environments.wire_json', 'governance_gate'])
    .where('environments.tenant_id', '=', slot('tenantId'))
    .where('environments.id', '=', slot('id'))
    .where(environmentVisibleTo(anyLike(actor)))

const texts = {
  found: working,
  held: (actor: Member) => working(actor).forKeyShare('environments'),
  unchanged: (actor: Member) => {
    const same = working(actor)
      .where('is_production', '=', slot<boolean>('isProduction'))
      .where('governance_mode', '=', slot<WorkingEnvironment['governance_mode']>('mode'))
      .where('environments.wire_json', '=', slot('shown'))
      .where('governance_gate', '=', slot<WorkingEnvironment['governance_gate']>('gate'))
    return fragment<WorkingEnvironment>`select case when exists (${same}) then true else refuse_stale() end`
  },
}

type Shaped = (values: Record<string, unknown>) => RawStatement<WorkingEnvironment>

const shapes: Record<keyof typeof texts, Map<string, Shaped>> = {
  found: new Map(),
  held: new Map(),
  unchanged: new Map(),
}

function statementOf(use: keyof typeof texts, db: Sql, actor: Member, values: Record<string, unknown>) {
  const sight = sightOf(actor)
  let shaped = shapes[use].get(sight)
  if (!shaped) {
    shaped = shapedStatement(texts[use](actor))
    shapes[use].set(sight, shaped)
  }
  return shaped({ tenantId: db.tenantId, ...values, ...sightValues(actor) })
}

/** An environment the actor works in; undefined for any other, exactly as for an unknown id. */
export function findEnvironment(db: Sql, actor: Member, id: string) {
  return db.maybe(statementOf('found', db, actor, { id }))
}

/** As `findEnvironment`, kept from being deleted until the transaction ends. */
export function holdEnvironment(tx: Tx, actor: Member, id: string) {
  return tx.maybe(statementOf('held', tx, actor, { id }))
}

/** Fails as stale unless the actor works in the environment still, and it is as it was found. */
export async function requireUnchanged(tx: Tx, actor: Member, found: WorkingEnvironment): Promise<void> {
  const { id, is_production: isProduction, governance_mode: mode, wire_json: shown, governance_gate: gate } = found
  await tx.all(statementOf('unchanged', tx, actor, { id, isProduction, mode, shown, gate }))
}
