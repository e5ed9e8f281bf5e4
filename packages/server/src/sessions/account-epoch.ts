import { addressKey } from '@mandate/contract/fields/address-key'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

/**
 * An account with its epoch. The epoch is a number that increases whenever all sessions of the account are ended. A sign-in
 * reads it before it checks the password, and compares it again when it opens the session. If the number has increased
 * meanwhile, no session is opened.
 */
export interface AccountEpoch {
  accountId: string
  epoch: string
}

const ofAddress = `select a.account_id as "accountId", coalesce(p.epoch, 0)::text as epoch
  from email_lookup e
  join account_lookup a on a.tenant_id = e.tenant_id and a.user_id = e.user_id
  left join account_epochs p on p.account_id = a.account_id
  where e.address = $1`

/**
 * Finds the account with this address, and its epoch (the number that increases when all its sessions are ended). Returns
 * undefined if no user has the address.
 */
export function findEpoch(db: Sql, email: string): Promise<AccountEpoch | undefined> {
  return db.maybe(raw<AccountEpoch>(ofAddress, [addressKey(email)]))
}

/**
 * Reads the epoch of an account (the number that increases when all its sessions are ended), and locks the epoch until the
 * transaction ends. Another transaction that ends all sessions of the account waits for this lock. It therefore also ends the
 * sessions that the current transaction opens. Call this function before the current transaction locks other rows of the
 * account.
 */
export async function lockEpochForShare(tx: Tx, accountId: string): Promise<string> {
  const insert = 'insert into account_epochs (account_id) values ($1) on conflict do nothing'
  const select = 'select epoch::text as epoch from account_epochs where account_id = $1 for share'
  for (;;) {
    const [, locked] = await Promise.all([
      tx.all(raw(insert, [accountId])),
      tx.maybe(raw<{ epoch: string }>(select, [accountId])),
    ])
    if (locked) return locked.epoch
    // The account was deleted between the two statements, and its epoch with it. The next insert stores a new one.
  }
}

/**
 * Increases the epoch of an account. A sign-in that checked the password before this change can then no longer open a session.
 * Waits for transactions that have locked the epoch with `lockEpochForShare`.
 */
export async function endEpoch(tx: Sql, accountId: string): Promise<void> {
  await tx.all(
    raw(
      `insert into account_epochs as p (account_id, epoch) values ($1, 1)
       on conflict (account_id) do update set epoch = p.epoch + 1`,
      [accountId],
    ),
  )
}
