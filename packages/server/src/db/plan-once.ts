import type { Tx } from './database.ts'
import { raw } from './statement.ts'

/**
 * Has the transaction run each statement by one plan for all values. For statements that take longer to plan anew than to run, and
 * are written so that they need no other plan.
 */
export async function planOnce(tx: Tx): Promise<void> {
  await tx.all(raw(`select set_config('plan_cache_mode', 'force_generic_plan', true)`, []))
}
