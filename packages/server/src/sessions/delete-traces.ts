import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'

const tables = ['sessions', 'password_resets', 'mail_proofs', 'known_devices', 'account_epochs'] as const

/** Deletes the data of accounts that are deleted or lose their user: sessions, mailed tokens and known devices. */
export async function deleteTracesOfAccounts(tx: Tx, accountIds: readonly string[]): Promise<void> {
  for (const table of tables) await tx.all(raw(`delete from ${table} where account_id = any($1)`, [accountIds]))
}
