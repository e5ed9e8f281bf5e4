import type { Sql, Tx } from './database.ts'
import { raw } from './statements/statement.ts'

/**
 * Makes PostgreSQL use generic plans in this transaction. Use it for statements whose planning takes longer than their
 * execution, and for which one plan fits all values.
 */
export async function planOnce(tx: Tx): Promise<void> {
  await tx.all(raw(`select set_config('plan_cache_mode', 'force_generic_plan', true)`, []))
}

const settingsOfGroup = `select set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('lock_timeout', case when $1 then '500ms' else current_setting('lock_timeout') end, true)`

/**
 * Like `planOnce`, for the transaction of a group of `TenantGroups`. A group of several operations that waits for a lock fails early, because
 * other operations of the tenant wait for the group. The operations then run alone.
 */
export async function planGroupOnce(tx: Tx, operations: number): Promise<void> {
  await tx.all(raw(settingsOfGroup, [operations > 1]))
}

/**
 * Makes PostgreSQL plan each statement of this transaction for its values. Use it for statements whose best index depends on
 * whether a value is rare. A generic plan may read every row to find a rare value. `tx` is a transaction or a snapshot.
 */
export async function planForValues(tx: Sql): Promise<void> {
  await tx.all(raw(`select set_config('plan_cache_mode', 'force_custom_plan', true)`, []))
}
