import { boundedCount } from '../../db/bounded-count.ts'
import type { Sql } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'
import { type UserRow, userColumns } from './wire-user.ts'

export interface UserPage {
  search?: string | undefined
  sort_by: 'name' | 'email' | 'created_at'
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

const sortKeys = { name: 'lower(display_name)', email: 'email_lower', created_at: 'created_at' }

// strpos and not LIKE: a search text has no characters of special meaning.
const matching = `tenant_id = $1 and ($2::text is null or strpos(lower(display_name), lower($2)) > 0
  or strpos(email_lower, lower($2)) > 0)`

/** One text for each of the six orders, so that each is prepared once. Ties stand in the order of ids. */
function pageText(sortBy: UserPage['sort_by'], order: UserPage['sort_order']): string {
  return `select counted.total, page.*
    from (select ${boundedCount(`users where ${matching}`)} as total) counted
    left join lateral (
      select ${userColumns.join(', ')}, row_number() over (order by ${sortKeys[sortBy]} ${order}, id ${order}) as place
      from users where ${matching} order by ${sortKeys[sortBy]} ${order}, id ${order} limit $3 offset $4
    ) page on true
    order by page.place`
}

/** One page and the count of all that match, as of one moment. */
export async function findUsers(db: Sql, { search, sort_by, sort_order, limit, offset }: UserPage) {
  const rows = await db.all(
    raw<UserRow & { total: number }>(pageText(sort_by, sort_order), [db.tenantId, search ?? null, limit, offset]),
  )
  // Past the last page the count stands alone.
  return { total: rows[0]?.total ?? 0, users: rows.filter((row) => row.id !== null) }
}
