import { addressKey } from '@mandate/contract/fields/address-key'
import type { Tx } from '../../../db/database.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { deleteTracesOfAccounts } from '../../../sessions/end-sessions.ts'
import type { LockedUser } from '../queries.ts'

/** Maximum time that a removal waits for a lock. Then PostgreSQL cancels the statement with the error 55P03. */
const lockWaitMs = 2000

export async function limitLockWaits(tx: Tx): Promise<void> {
  await tx.all(raw("select set_config('lock_timeout', $1, true)", [String(lockWaitMs)]))
}

/** Maximum number of agents that the entry of a removal names. */
const mostNamed = 50

/**
 * Removes a user as the owner of agents. Returns how many of these agents are not archived, and the ids and names of the first of them.
 */
export function disownAgents(tx: Tx, userId: string) {
  const text = `
    with disowned as (
      update agents set owner_user_id = null where tenant_id = $1 and owner_user_id = $2 returning id, name, status
    ), live as (select id, name from disowned where status <> 'archived')
    select (select count(*) from live) as agents_owned,
      coalesce((select json_agg(json_build_object('id', n.id, 'name', n.name) order by n.id)
        from (select id, name from live order by id limit ${mostNamed}) n), '[]'::json) as named`
  return tx.one(raw<{ agents_owned: number; named: { id: string; name: string }[] }>(text, [tx.tenantId, userId]))
}

/**
 * Deletes a locked user with their keys, grants, environment access, invitation and sessions. Also deletes the rows that find
 * the tenant by the user's mail address, account or credentials. Keeps the reports that the user created, without a creator. Run
 * `disownAgents` before.
 */
export async function deleteUserRows(tx: Tx, { id, account_id, email, email_lower }: LockedUser): Promise<void> {
  const ofUser = [tx.tenantId, id]
  await tx.all(raw('update reports set generated_by = null where tenant_id = $1 and generated_by = $2', ofUser))
  await tx.all(
    raw(
      `delete from credential_lookup where tenant_id = $1 and (
         (kind = 'api_key' and id in (select k.id from api_keys k where k.tenant_id = $1 and k.created_by = $2))
         or (kind = 'invitation' and id = $2))`,
      ofUser,
    ),
  )
  // The two differ for a row that `rewriteAddressKeys` left as it was.
  const keys = [email_lower, addressKey(email)]
  await tx.all(
    raw('delete from email_lookup where address = any($3) and tenant_id = $1 and user_id = $2', [...ofUser, keys]),
  )
  if (account_id !== null) await deleteAccountRows(tx, account_id)
  // Keys, grants, environment access and the invitation refer to the user's row, so they are deleted with it.
  await tx.all(sql.deleteFrom('users').where('tenant_id', '=', tx.tenantId).where('id', '=', id))
}

async function deleteAccountRows(tx: Tx, accountId: string): Promise<void> {
  await tx.all(raw('delete from account_lookup where account_id = $2 and tenant_id = $1', [tx.tenantId, accountId]))
  await deleteTracesOfAccounts(tx, [accountId])
}
