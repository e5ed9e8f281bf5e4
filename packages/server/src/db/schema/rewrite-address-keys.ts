import { addressKey } from '@mandate/contract/fields/address-key'
import type pg from 'pg'

/** Migrations after which stored keys are computed again, because `addressKey` changed. */
export const addressKeysMigrations = ['0067-address-keys.sql', '0076-address-keys-of-wide-letters.sql']

interface KeyColumn {
  table: string
  /** Columns that identify a row. */
  row: string[]
  key: string
  /** Rows are rewritten in this order, so that the first of two rows with one key gets it. */
  order: string
}

const keyColumns: KeyColumn[] = [
  { table: 'users', row: ['tenant_id', 'id'], key: 'email_lower', order: "status = 'active' desc, created_at, id" },
  { table: 'email_lookup', row: ['address'], key: 'address', order: 'address' },
  { table: 'identity.accounts', row: ['id'], key: 'email_lower', order: 'created_at, id' },
]

/**
 * Stores the `addressKey` of each address that is not ASCII. Before, two spellings of one address could have two rows. Then only
 * one row gets the key. The other row keeps its old key, and no look-up finds it: its user cannot sign in with a password. An owner can remove this user.
 */
export async function rewriteAddressKeys(owner: pg.Client): Promise<void> {
  await owner.query('alter table users no force row level security')
  for (const { table, row, key, order } of keyColumns) {
    const { rows } = await owner.query(
      `select ${row.join(', ')}, ${key} as key from ${table} where octet_length(${key}) <> char_length(${key}) order by ${order}`,
    )
    for (const { key: old, ...id } of rows) {
      const now = addressKey(old)
      if (now === old) continue
      const same = row.map((column, index) => `t.${column} = $${index + 2}`).join(' and ')
      const taken = `select from ${table} o where o.${key} = $1 ${table === 'users' ? 'and o.tenant_id = t.tenant_id' : ''}`
      const values = row.map((column) => (column === key ? old : id[column]))
      await owner.query(`update ${table} t set ${key} = $1 where ${same} and not exists (${taken})`, [now, ...values])
    }
  }
  await owner.query('alter table users force row level security')
}
