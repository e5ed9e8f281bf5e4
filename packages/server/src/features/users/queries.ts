import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import { type UserRow, userColumns } from './wire-user.ts'

/** A user whose row is locked, with two columns that no response contains. */
export type LockedUser = UserRow & { account_id: string | null; email_lower: string }

const columns = userColumns.join(', ')

export function findUser(db: Sql, userId: string): Promise<UserRow | undefined> {
  return db.maybe(
    sql.selectFrom('users').select(userColumns).where('tenant_id', '=', db.tenantId).where('id', '=', userId),
  )
}

/** Locks users in the order of their ids. All transactions use this order, so they cannot deadlock. */
export function lockUsers(tx: Tx, userIds: readonly string[]): Promise<LockedUser[]> {
  return tx.all(
    raw<LockedUser>(
      `select ${columns}, account_id, email_lower from users where tenant_id = $1 and id = any($2) order by id for update`,
      [tx.tenantId, userIds],
    ),
  )
}

/**
 * Like `lockUsers`, and locks all owners. The tenant must be locked first, because a concurrent change could make another user an
 * owner.
 */
export function lockUsersAndOwners(tx: Tx, userIds: readonly string[]): Promise<LockedUser[]> {
  return tx.all(
    raw<LockedUser>(
      `select ${columns}, account_id, email_lower from users
       where tenant_id = $1 and (id = any($2) or role = 'owner') order by id for update`,
      [tx.tenantId, userIds],
    ),
  )
}

export function storeUser(
  tx: Tx,
  userId: string,
  { display_name, role, read_only }: Pick<UserRow, 'display_name' | 'role' | 'read_only'>,
): Promise<UserRow> {
  return tx.one(
    raw<UserRow>(
      `update users set display_name = $3, role = $4, read_only = $5 where tenant_id = $1 and id = $2 returning ${columns}`,
      [tx.tenantId, userId, display_name, role, read_only],
    ),
  )
}

export function storeMfaCleared(tx: Tx, userId: string): Promise<UserRow> {
  return tx.one(
    raw<UserRow>(`update users set mfa_enrolled = false where tenant_id = $1 and id = $2 returning ${columns}`, [
      tx.tenantId,
      userId,
    ]),
  )
}

/** Counts the tenant's users except `userId`. Includes pending users and learners (users of the training product only). */
export async function countOthers(db: Sql, userId: string): Promise<number> {
  const { count } = await db.one(
    raw<{ count: number }>('select count(*) as count from users where tenant_id = $1 and id <> $2', [
      db.tenantId,
      userId,
    ]),
  )
  return count
}

/** Returns the ids of the tenant's users except `userId`, at most `most`. Includes pending users and learners. */
export function findOthers(db: Sql, userId: string, most: number): Promise<{ id: string }[]> {
  const text = 'select id from users where tenant_id = $1 and id <> $2 limit $3'
  return db.all(raw<{ id: string }>(text, [db.tenantId, userId, most]))
}

/** Returns the ids of owners who can act (`isOwner`), at most `most`. */
export async function findActingOwners(db: Sql, most: number): Promise<string[]> {
  const text = `select id from users
    where tenant_id = $1 and role = 'owner' and status = 'active' and not academy_only
      and not read_only limit $2`
  return (await db.all(raw<{ id: string }>(text, [db.tenantId, most]))).map(({ id }) => id)
}

/**
 * Counts what stops working when the user is removed: active keys, agents that are not archived, and pending reviews that they
 * requested.
 */
export function countDependents(db: Sql, userId: string, now: string) {
  return db.one(
    raw<{ keys: number; last_used_at: string | null; agents_owned: number; open_reviews: number }>(
      `select count(*) as keys, max(last_used_at)::timestamptz(3) as last_used_at,
         (select count(*) from agents
          where tenant_id = $1 and owner_user_id = $2 and status <> 'archived') as agents_owned,
         (select count(*) from reviews
          where tenant_id = $1 and requested_by = $2 and status = 'pending') as open_reviews
       from api_keys
       where tenant_id = $1 and created_by = $2 and revoked_at is null and (expires_at is null or expires_at > $3)`,
      [db.tenantId, userId, now],
    ),
  )
}
