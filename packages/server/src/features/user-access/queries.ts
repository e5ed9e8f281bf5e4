import type { AccessScope, Role } from '@mandate/contract/words/roles'
import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statements/statement.ts'
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

/** Locks the user until the transaction ends, so that changes of their access run one at a time. */
export function findUserLocked(tx: Tx, userId: string) {
  return tx.maybe(users(tx).where('id', '=', userId).forUpdate())
}

/** Locks a user and the tenant's owners with one statement, in the order of their ids. */
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

/** Gives a learner a seat. */
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

/** Deletes all agent grants of a user. Returns how many. */
export async function deleteGrants(tx: Tx, userId: string): Promise<number> {
  const rows = await tx.all(
    raw<{ id: string }>('delete from agent_grants where tenant_id = $1 and user_id = $2 returning id', [
      tx.tenantId,
      userId,
    ]),
  )
  return rows.length
}
