import { addressKey } from '@mandate/contract/fields/address-key'
import type { Sql } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists/bounded-count.ts'
import { raw } from '../../../db/statements/statement.ts'
import { type UserRow, userColumns } from '../wire-user.ts'

export interface UserPage {
  search?: string | undefined
  status?: 'pending' | 'active' | undefined
  academy_only?: boolean | undefined
  mfa_enrolled?: boolean | undefined
  federated?: boolean | undefined
  sort_by: 'name' | 'email' | 'created_at'
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

const sortKeys = { name: 'lower(display_name)', email: 'email_lower', created_at: 'created_at' }

// Uses strpos instead of LIKE, because `%` and `_` have a special meaning in LIKE. `email_lower` is the key of an address. People
// also search for a part of the address as it was written, in NFC ($9) or NFD ($10).
const matching = `tenant_id = $1 and ($2::text is null or strpos(lower(display_name), lower($2)) > 0
  or strpos(email_lower, lower($9)) > 0 or strpos(email_lower, $11) > 0
  or strpos(lower(email), lower($9)) > 0 or strpos(lower(email), lower($10)) > 0) and ($5::text is null or status = $5)
  and ($6::boolean is null or academy_only = $6) and ($7::boolean is null or mfa_enrolled = $7)
  and ($8::boolean is null or federated = $8)`

/**
 * Returns the SQL text for one of six sort orders: three columns, each ascending or descending. PostgreSQL prepares each text
 * only once. Users with equal values are ordered by id.
 */
function pageText(sortBy: UserPage['sort_by'], order: UserPage['sort_order']): string {
  return `select counted.total, page.*
    from (select ${boundedCount(`users where ${matching}`)} as total) counted
    left join lateral (
      select ${userColumns.join(', ')}, row_number() over (order by ${sortKeys[sortBy]} ${order}, id ${order}) as place
      from users where ${matching} order by ${sortKeys[sortBy]} ${order}, id ${order} limit $3 offset $4
    ) page on true
    order by page.place`
}

/** Returns one page and the count of all matching users, from one snapshot. */
export async function findUsers(db: Sql, { search, sort_by, sort_order, limit, offset, ...filters }: UserPage) {
  const { status = null, academy_only = null, mfa_enrolled = null, federated = null } = filters
  const text = search ?? null
  const spellings = text && [text.normalize('NFC'), text.normalize('NFD'), addressKey(text)]
  const filtered = [status, academy_only, mfa_enrolled, federated]
  const values = [db.tenantId, text, limit, offset, ...filtered, ...(spellings || [text, text, text])]
  const rows = await db.all(raw<UserRow & { total: number }>(pageText(sort_by, sort_order), values))
  // If the page is after the last page, the result is a single row with the count and without a user.
  return { total: rows[0]?.total ?? 0, users: rows.filter((row) => row.id !== null) }
}
