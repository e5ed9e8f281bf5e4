import type { Freeze } from '@mandate/contract/freezes'
import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { countedAtMost } from '../../db/lists/bounded-count.ts'
import type { FinalReach, FreezeRow } from './freeze-queries.ts'
import { seesWhole } from './freeze-visibility.ts'
import {
  countFewInstances,
  countInstances,
  type FreezeInstances,
  hasUntested,
  type InstanceCounts,
  type QuietTime,
} from './instance-queries.ts'

export function instancesOf(
  freeze: Pick<FreezeRow, 'id' | 'scope' | 'target_id' | 'environment_id' | 'drill' | 'created_at'>,
): FreezeInstances {
  const { id, scope, target_id, environment_id, drill, created_at } = freeze
  return {
    freezeId: id,
    scope,
    target: target_id,
    place: environment_id,
    startedBy: drill ? created_at : 'infinity',
  }
}

/**
 * Computes the reach of an open freeze or drill from the counts of its instances. The total of a drill is at least what it was at the
 * start: an instance that stopped without a confirmation stays unreachable.
 */
function reachOf({ drill, edges_total }: FreezeRow, counts: InstanceCounts, isWhole: boolean): FinalReach {
  const { confirmed, open, unreachable, last_at } = counts
  const known = Math.min(confirmed + open, countedAtMost)
  const total = drill && isWhole ? Math.max(known, edges_total) : known
  const gone = total - known
  const isComplete = total > 0 && open === 0 && gone === 0
  return { total, confirmed, unreachable: unreachable + gone, confirmedAllAt: isComplete ? last_at : null }
}

/** Reads the reach of an open freeze or drill, as far as the actor sees it. */
export async function readReach(db: Sql, actor: Member, freeze: FreezeRow, quiet: QuietTime): Promise<FinalReach> {
  const instances = instancesOf(freeze)
  const reach = reachOf(freeze, await countInstances(db, actor, instances, quiet), seesWhole(actor, freeze))
  const isKnown = reach.confirmedAllAt === null || !(await hasUntested(db, actor, instances))
  return isKnown ? reach : { ...reach, confirmedAllAt: null }
}

type Confirmed = Pick<Freeze, 'edges' | 'confirmed_all_at'>

/** Returns the fields of `Freeze` that depend on confirmations. */
export async function edgesOf(db: Sql, actor: Member, freeze: FreezeRow, quiet: QuietTime): Promise<Confirmed> {
  return freeze.is_open ? confirmedBy(await readReach(db, actor, freeze, quiet)) : storedReach(actor, freeze)
}

/**
 * Like `edgesOf`, for one of the freezes of a page. `openOfPage` is the number of its open freezes. Null if the counts need many rows.
 */
export async function edgesInList(
  db: Sql,
  actor: Member,
  freeze: FreezeRow,
  quiet: QuietTime,
  openOfPage: number,
): Promise<Confirmed> {
  if (!freeze.is_open) return storedReach(actor, freeze)
  const counts = await countFewInstances(db, actor, instancesOf(freeze), quiet, openOfPage)
  return counts ? confirmedBy(reachOf(freeze, counts, seesWhole(actor, freeze))) : notKnown
}

const notKnown: Confirmed = { edges: null, confirmed_all_at: null }

const confirmedBy = ({ total, confirmed, unreachable, confirmedAllAt }: FinalReach): Confirmed => ({
  edges: { total, confirmed, unreachable },
  confirmed_all_at: confirmedAllAt,
})

/** The reach that was stored when the freeze closed. */
function storedReach(actor: Member, freeze: FreezeRow): Confirmed {
  if (!seesWhole(actor, freeze)) return notKnown
  const { edges_total: total, edges_confirmed, edges_unreachable, confirmed_all_at } = freeze
  return { edges: { total, confirmed: edges_confirmed ?? 0, unreachable: edges_unreachable ?? 0 }, confirmed_all_at }
}
