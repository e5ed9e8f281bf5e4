import type { Tool } from '@mandate/contract/tools'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Sql } from '../../db/database.ts'
import { countCalls } from './call-counts.ts'
import type { ToolRow } from './tool-queries.ts'

const noCalls = { agents: 0, calls_30d: 0 }

/** Returns tools as the API shows them, with the counts of their calls. */
export async function toolAnswers({ actor, now }: Ctx<Member>, db: Sql, rows: readonly ToolRow[]): Promise<Tool[]> {
  const counts = await countCalls(db, actor, rows, now)
  return rows.map(({ pins, labels_by_people: _, ...row }) => ({
    ...row,
    pinned_hash: pins[0] ?? null,
    pinned_hashes: pins,
    ...(counts.get(row.id) ?? noCalls),
  }))
}
