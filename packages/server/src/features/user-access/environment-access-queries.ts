import type { Member } from '../../authz/actor.ts'
import { environmentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { sql } from '../../db/statements/statement.ts'

const entriesOf = (db: Sql, actor: Member, userId: string) =>
  sql
    .selectFrom('environment_access')
    .innerJoin('environments', (join) =>
      join
        .onRef('environments.tenant_id', '=', 'environment_access.tenant_id')
        .onRef('environments.id', '=', 'environment_access.environment_id'),
    )
    .select([
      'environment_access.id',
      'environment_access.environment_id',
      'environments.name as environment_name',
      'environments.slug as environment_slug',
      'environment_access.created_at',
    ])
    .where('environment_access.tenant_id', '=', db.tenantId)
    .where('environment_access.user_id', '=', userId)
    .where(environmentVisibleTo(actor))

/** Returns a user's access entries for environments that the actor can see, oldest first. */
export function findEntries(db: Sql, actor: Member, userId: string) {
  return db.all(entriesOf(db, actor, userId).orderBy('environment_access.created_at').orderBy('environment_access.id'))
}

export function findEntryOn(db: Sql, actor: Member, userId: string, environmentId: string) {
  return db.maybe(entriesOf(db, actor, userId).where('environment_access.environment_id', '=', environmentId))
}

export function findEntry(db: Sql, actor: Member, userId: string, accessId: string) {
  return db.maybe(entriesOf(db, actor, userId).where('environment_access.id', '=', accessId))
}

/** Returns an environment if the actor can see it. Prevents the environment's deletion until the transaction ends. */
export function findVisibleEnvironmentHeld(tx: Tx, actor: Member, environmentId: string) {
  return tx.maybe(
    sql
      .selectFrom('environments')
      .select(['id', 'name', 'slug'])
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', environmentId)
      .where(environmentVisibleTo(actor))
      .forKeyShare(),
  )
}

export interface NewEntry {
  id: string
  userId: string
  environmentId: string
  createdAt: string
}

export async function insertEntry(tx: Tx, { id, userId, environmentId, createdAt }: NewEntry): Promise<void> {
  const values = { tenant_id: tx.tenantId, id, user_id: userId, environment_id: environmentId, created_at: createdAt }
  await tx.all(sql.insertInto('environment_access').values(values))
}

export async function deleteEntry(tx: Tx, accessId: string): Promise<void> {
  await tx.all(sql.deleteFrom('environment_access').where('tenant_id', '=', tx.tenantId).where('id', '=', accessId))
}
