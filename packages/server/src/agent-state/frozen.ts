import type { Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

/** SQL expressions: the alias of an agent's row, and the tenant. The row needs the columns `id` and `environment_id`. */
interface Names {
  agent: string
  tenantId: string
}

/** SQL for the targets whose freezes cover an agent. */
const targets = ({ agent, tenantId }: Names) => [`${agent}.id`, `${agent}.environment_id`, tenantId]

/** SQL condition: an active freeze covers the agent. It looks up one index. */
export const frozenSql = (names: Names): string =>
  `exists (select from freezes z where z.tenant_id = ${names.tenantId} and z.is_active
    and z.target_id = any(array[${targets(names).join(', ')}]))`

/** SQL for the id of the newest drill that covers the agent; null if no drill covers it. Ids of drills grow with time. */
export const newestDrillSql = (names: Names): string =>
  `greatest(${targets(names)
    .map(
      (
        target,
      ) => `(select z.id from freezes z where z.tenant_id = ${names.tenantId} and z.drill and z.target_id = ${target}
      order by z.id desc limit 1)`,
    )
    .join(', ')})`

/** SQL condition: the tenant has an active freeze. */
export const hasFreezeSql = (tenantId: string): string =>
  `exists (select from freezes z where z.tenant_id = ${tenantId} and z.is_active)`

/** Like `frozenSql`, with the tenant as a parameter. If the tenant has no active freeze, nothing is looked up for each agent. */
export const frozenOfTenantSql = (names: Names): string => `case
  when (select ${hasFreezeSql(names.tenantId)}) then ${frozenSql(names)}
  else false end`

/** Like `newestDrillSql`, with the tenant as a parameter. If the tenant has no drill, nothing is looked up for each agent. */
export const newestDrillOfTenantSql = (names: Names): string => `case
  when (select exists (select from freezes z where z.tenant_id = ${names.tenantId} and z.drill)) then ${newestDrillSql(names)} end`

// First key of an advisory lock. The second key is a hash of the tenant. Two tenants with the same hash only wait for each other.
const freezeLock = 1_296_125_771

/**
 * Makes a transaction that starts a freeze wait until this transaction ends. A transaction that grants or uses an approval calls
 * it before it reads whether the agent is frozen. So nothing is granted or used after the commit of a freeze. A lock of the agent's
 * row would not be enough, because a freeze of an environment locks no agents.
 */
export async function holdOffFreezes(tx: Tx): Promise<void> {
  await tx.all(raw(`select pg_advisory_xact_lock_shared(${freezeLock}, hashtext($1))`, [tx.tenantId]))
}

/** Waits until the transactions that called `holdOffFreezes` have ended, and lets no further one begin until this transaction ends. */
export async function lockFreezes(tx: Tx): Promise<void> {
  await tx.all(raw(`select pg_advisory_xact_lock(${freezeLock}, hashtext($1))`, [tx.tenantId]))
}
