import type { Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

// First key of an advisory lock. The second key is a hash of the tenant. Two tenants with the same hash only wait for each other.
const contentLock = 1_129_270_868

/**
 * Waits until no pattern of the tenant changes, and keeps patterns from changing until the transaction ends. Take it before the rows of
 * policies are locked.
 */
export async function keepPatterns(tx: Tx): Promise<void> {
  await tx.all(raw(`select pg_advisory_xact_lock_shared(${contentLock}, hashtext($1))`, [tx.tenantId]))
}

/** Waits until no other transaction changes patterns or saves bindings, and keeps them from it until this one ends. */
export async function lockPatterns(tx: Tx): Promise<void> {
  await tx.all(raw(`select pg_advisory_xact_lock(${contentLock}, hashtext($1))`, [tx.tenantId]))
}
