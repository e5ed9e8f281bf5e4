import type { Owner } from '../db/schema/partitions.ts'
import { slotOf, slots } from './slots.ts'

const lockNotAvailable = '55P03'
const nextSlot = `(${slotOf('clock_timestamp()')} + 1) % ${slots}`

/**
 * Empties the partition of `events` that is used next. Its rows are at least 15 minutes old. A statement that uses the partition delays this by
 * at most two seconds; then the next run does it. If no run succeeds, expired rows live on until the partition's next turn.
 */
export async function expireEvents(owner: Owner): Promise<void> {
  const { rows } = await owner.query(`select ${nextSlot} as slot`)
  const slot = Number(rows[0]?.slot)
  const { rows: sizes } = await owner.query('select pg_relation_size($1::regclass) > 0 as "isUsed"', [`events_${slot}`])
  if (!sizes[0]?.isUsed) return
  await owner.query('begin')
  try {
    await owner.query(`set local lock_timeout = '2s'`)
    await owner.query(`lock table events_${slot} in access exclusive mode`)
    // Waiting for the lock takes time. If the partition is in use by now, it has new rows.
    const { rows: again } = await owner.query(`select ${nextSlot} as slot`)
    if (Number(again[0]?.slot) === slot) await owner.query(`truncate events_${slot}`)
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    if ((error as { code?: string }).code !== lockNotAvailable) throw error
  }
}
