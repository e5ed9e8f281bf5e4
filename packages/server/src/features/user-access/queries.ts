import type { AccessScope, Role } from '@mandate/contract/roles'
import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statement.ts'
import { userColumns } from '../users/wire-user.ts'

const users = (db: Sql) =>
  sql
    .selectFrom('users')
    .select([...userColumns, 'account_id'])
    .where('tenant_id', '=', db.tenantId)

export type StoredUser = NonNullable<Awaited<ReturnType<typeof findUser>>>

export function findUser(db: Sql, userId: string) {
  return db.maybe(users(db).where('id', '=', userId))
}

/** Locked until the transaction ends: a user's access changes one step at a time. */
export function findUserLocked(tx: Tx, userId: string) {
  return tx.maybe(users(tx).where('id', '=', userId).forUpdate())
}

/** A user and the tenant's owners, locked together in the order of their ids. */
export function findUserAndOwnersLocked(tx: Tx, userId: string) {
  return tx.all(
    users(tx)
      .where((where) =>
        where.or([where('id', '=', userId), where.and([where('role', '=', 'owner'), where('status', '=', 'active')])]),
      )
      .orderBy('id')
      .forUpdate(),
  )
}

export interface Seat {
  role: Role
  accessScope: AccessScope
}

/** Makes a learner a user of the platform. */
export function updateLearner(tx: Tx, userId: string, { role, accessScope }: Seat) {
  return tx.one(
    sql
      .updateTable('users')
      .set({ academy_only: false, role, access_scope: accessScope })
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', userId)
      .returning(userColumns),
  )
}

export function updateAccessScope(tx: Tx, userId: string, accessScope: AccessScope) {
  return tx.one(
    sql
      .updateTable('users')
      .set({ access_scope: accessScope })
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', userId)
      .returning(userColumns),
  )
}

/** Removes every agent grant of a user; says how many there were. */
export async function deleteGrants(tx: Tx, userId: string): Promise<number> {
  const rows = await tx.all(
    raw<{ id: string }>('delete from agent_grants where tenant_id = $1 and user_id = $2 returning id', [
      tx.tenantId,
      userId,
    ]),
  )
  return rows.length
}
