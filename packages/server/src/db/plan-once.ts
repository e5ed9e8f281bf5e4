import type { Tx } from './database.ts'
import { raw } from './statement.ts'

/**
 * Has the transaction run each statement by one plan for all values. For statements that take longer to plan anew than to run, and
 * are written so that they need no other plan.
 */
export async function planOnce(tx: Tx): Promise<void> {
  await tx.all(raw(`select set_config('plan_cache_mode', 'force_generic_plan', true)`, []))
}

/**
 * Has the transaction plan each statement for its values. For statements whose best index depends on whether a value is rare: a plan for
 * all values may read every row in search of a rare one.
 */
export async function planForValues(tx: Tx): Promise<void> {
  await tx.all(raw(`select set_config('plan_cache_mode', 'force_custom_plan', true)`, []))
}
