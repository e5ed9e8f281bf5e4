import type { FreezeScope } from '@mandate/contract/freezes'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import type { Sight } from '../../authz/sight.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { boundedCount } from '../../db/lists/bounded-count.ts'
import { namedSql } from '../../db/statements/named-parameters.ts'
import { raw } from '../../db/statements/statement.ts'
import { freezeIsVisible } from './freeze-visibility.ts'

export interface FreezeRow {
  id: string
  scope: FreezeScope
  target_id: string
  environment_id: string | null
  name: string
  reason: string
  drill: boolean
  agents: number
  approvals_ended: number
  created_by: string | null
  created_at: string
  audit_entry_id: string
  lifted_by: string | null
  lifted_at: string | null
  lift_reason: string | null
  is_open: boolean
  is_active: boolean
  edges_total: number
  edges_confirmed: number | null
  edges_unreachable: number | null
  confirmed_all_at: string | null
}

const columns = `z.id, z.scope, z.target_id, z.environment_id, z.name, z.reason, z.drill, z.agents, z.approvals_ended, z.created_by,
  z.created_at, z.audit_entry_id, z.lifted_by, z.lifted_at, z.lift_reason, z.is_open, z.is_active, z.edges_total, z.edges_confirmed,
  z.edges_unreachable, z.confirmed_all_at`

const states = { any: 'true', active: 'z.is_active', over: 'not z.is_active' } as const

const listed = (sight: Sight, state: keyof typeof states) =>
  `freezes z where z.tenant_id = :tenantId and ${states[state]} and ${freezeIsVisible(sight)}`

const byState = { state: ['any', 'active', 'over'] } as const

const pageOf = statementsBySight(byState, ({ sight, state }) =>
  namedSql<FreezeRow>(
    `select ${columns} from ${listed(sight, state)} order by z.is_active desc, z.id desc limit :limit::int offset :offset::bigint`,
  ),
)

const totalOf = statementsBySight(byState, ({ sight, state }) =>
  namedSql<{ total: number }>(`select ${boundedCount(listed(sight, state))} as total`),
)

const oneOf = statementsBySight({}, ({ sight }) =>
  namedSql<FreezeRow>(`select ${columns} from ${listed(sight, 'any')} and z.id = :id`),
)

const lockedOf = statementsBySight({}, ({ sight }) =>
  namedSql<FreezeRow>(`select ${columns} from ${listed(sight, 'any')} and z.id = :id for no key update of z`),
)

/** Returns one page of the freezes that the actor sees, active freezes first, then the newest. */
export async function findFreezes(
  db: Sql,
  actor: Member,
  { active, limit, offset }: { active: boolean | undefined; limit: number; offset: number },
) {
  const state = active === undefined ? 'any' : active ? 'active' : 'over'
  const [freezes, { total }] = await Promise.all([
    db.all(pageOf(actor, { state }, { limit, offset })),
    db.one(totalOf(actor, { state }, {})),
  ])
  return { freezes, total }
}

export function findFreeze(db: Sql, actor: Member, id: string): Promise<FreezeRow | undefined> {
  return db.maybe(oneOf(actor, {}, { id }))
}

/** Like `findFreeze`, and locks the row until the transaction ends. */
export function lockFreeze(tx: Tx, actor: Member, id: string): Promise<FreezeRow | undefined> {
  return tx.maybe(lockedOf(actor, {}, { id }))
}

export type NewFreezeRow = Pick<
  FreezeRow,
  | 'id'
  | 'scope'
  | 'target_id'
  | 'environment_id'
  | 'name'
  | 'reason'
  | 'drill'
  | 'agents'
  | 'edges_total'
  | 'created_by'
  | 'created_at'
  | 'audit_entry_id'
>

/** Inserts a freeze. Returns undefined if an active freeze has the same target. */
export function insertFreeze(tx: Tx, row: NewFreezeRow): Promise<FreezeRow | undefined> {
  const text = `insert into freezes as z (tenant_id, id, scope, target_id, environment_id, name, reason, drill, agents, edges_total,
      created_by, created_at, audit_entry_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    on conflict (tenant_id, target_id) where is_active do nothing
    returning ${columns}`
  const { id, scope, target_id, environment_id, name, reason, drill, agents, edges_total } = row
  const place = [id, scope, target_id, environment_id, name, reason, drill, agents, edges_total]
  return tx.maybe(raw<FreezeRow>(text, [tx.tenantId, ...place, row.created_by, row.created_at, row.audit_entry_id]))
}

export async function storeLift(tx: Tx, id: string, by: string, now: string, reason: string): Promise<void> {
  const text = `update freezes set lifted_by = $3, lifted_at = $4, lift_reason = $5 where tenant_id = $1 and id = $2`
  await tx.all(raw(text, [tx.tenantId, id, by, now, reason]))
}

/** The reach of a freeze or drill when it closed. */
export interface FinalReach {
  total: number
  confirmed: number
  unreachable: number
  confirmedAllAt: string | null
}

/** Closes a freeze or drill: edges are no longer told of it, and its counts no longer change. */
export async function storeFinalReach(tx: Tx, id: string, reach: FinalReach): Promise<void> {
  const text = `update freezes set is_open = false, edges_total = $3, edges_confirmed = $4, edges_unreachable = $5, confirmed_all_at = $6
    where tenant_id = $1 and id = $2`
  const { total, confirmed, unreachable, confirmedAllAt } = reach
  await tx.all(raw(text, [tx.tenantId, id, total, confirmed, unreachable, confirmedAllAt]))
}

export async function addEndedApprovals(tx: Tx, id: string, ended: number): Promise<void> {
  const text = 'update freezes set approvals_ended = approvals_ended + $3 where tenant_id = $1 and id = $2'
  await tx.all(raw(text, [tx.tenantId, id, ended]))
}

/** Locks an active freeze until the transaction ends. Returns what it covers; undefined if it was lifted. */
export function lockActive(tx: Tx, id: string) {
  const text = `select scope, target_id as id from freezes where tenant_id = $1 and id = $2 and is_active for no key update`
  return tx.maybe(raw<{ scope: FreezeScope; id: string }>(text, [tx.tenantId, id]))
}

/** Notes that approvals of a freeze have not all ended. */
export async function insertEnding(tx: Tx, id: string): Promise<void> {
  const text = `insert into freeze_endings (tenant_id, freeze_id) values ($1, $2) on conflict do nothing`
  await tx.all(raw(text, [tx.tenantId, id]))
}

export async function deleteEnding(tx: Tx, id: string): Promise<void> {
  await tx.all(raw('delete from freeze_endings where tenant_id = $1 and freeze_id = $2', [tx.tenantId, id]))
}

export async function hasEnding(tx: Tx, id: string): Promise<boolean> {
  const text = 'select from freeze_endings where tenant_id = $1 and freeze_id = $2'
  return (await tx.maybe(raw(text, [tx.tenantId, id]))) !== undefined
}

/** Returns freezes of all tenants whose approvals have not all ended. */
export function findEndings(global: Sql, limit: number): Promise<{ tenant_id: string; freeze_id: string }[]> {
  const text = 'select tenant_id, freeze_id from freeze_endings order by freeze_id limit $1'
  return global.all(raw<{ tenant_id: string; freeze_id: string }>(text, [limit]))
}

/** Returns drills that started before a time and are still open, at most `limit`. */
export function findOpenDrills(db: Sql, before: string, limit: number): Promise<FreezeRow[]> {
  const text = `select ${columns} from freezes z where z.tenant_id = $1 and z.is_open and z.drill and z.created_at < $2 limit $3`
  return db.all(raw<FreezeRow>(text, [db.tenantId, before, limit]))
}
