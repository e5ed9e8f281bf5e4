import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'

/** An account, and how often its sessions were ended. Read before a password is checked, compared when the session is opened. */
export interface AccountEpoch {
  accountId: string
  epoch: string
}

const ofAddress = `select a.account_id as "accountId", coalesce(p.epoch, 0)::text as epoch
  from email_lookup e
  join account_lookup a on a.tenant_id = e.tenant_id and a.user_id = e.user_id
  left join account_epochs p on p.account_id = a.account_id
  where e.address = $1`

/** Of the account that holds an address; undefined for an address without a user. */
export function findEpoch(db: Sql, email: string): Promise<AccountEpoch | undefined> {
  return db.maybe(raw<AccountEpoch>(ofAddress, [email.trim().toLowerCase()]))
}

/**
 * The epoch now. Whatever ends the account's sessions waits until this transaction has committed, and ends the sessions that it opens
 * too. Call it before the transaction locks anything else of the account.
 */
export async function holdEpoch(tx: Tx, accountId: string): Promise<string> {
  await tx.all(raw('insert into account_epochs (account_id) values ($1) on conflict do nothing', [accountId]))
  const text = 'select epoch::text as epoch from account_epochs where account_id = $1 for share'
  return (await tx.one(raw<{ epoch: string }>(text, [accountId]))).epoch
}

/** Passwords that were checked before open no session any more. Waits for the transactions that hold the epoch. */
export async function endEpoch(tx: Sql, accountId: string): Promise<void> {
  await tx.all(
    raw(
      `insert into account_epochs as p (account_id, epoch) values ($1, 1)
       on conflict (account_id) do update set epoch = p.epoch + 1`,
      [accountId],
    ),
  )
}
