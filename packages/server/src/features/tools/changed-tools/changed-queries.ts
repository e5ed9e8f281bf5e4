import { declaredHours } from '@mandate/contract/tools'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { declaresUnpinned, unpinnedRanges } from '../tool-queries.ts'

/** A tool with pins, and the definitions that are declared and not pinned. */
export interface ChangedRow {
  id: string
  tool: string
  labels: string[]
  hashes: string[]
}

const withPins = `t.tenant_id = $1 and t.pins <> '{}' and t.block_reason is null`

/** Of each tool, at most this many definitions are named. */
const mostHashes = 5
// One look into the index for each hash, so the reports of one hash are read once.
const nextHash = (after: string) => `(select r.hash from ${unpinnedRanges} u cross join lateral (
    select r.hash from tool_reports r where r.tenant_id = $1 and r.tool_id = t.id and r.hash > greatest(u.after, ${after}) and r.hash < u.before
      and r.reported_at > $3::timestamptz - interval '${declaredHours} hours' order by r.hash limit 1) r
    order by r.hash limit 1)`
const hashes = `array(with recursive h (hash, place) as (
    select ${nextHash("''")}, 1 union all select ${nextHash('h.hash')}, place + 1 from h where h.hash is not null and place < ${mostHashes})
  select hash from h where hash is not null order by hash)`
const changed = `select t.id, t.tool, t.labels, ${hashes} as hashes from tools t
  where ${withPins} and t.environment_id = $2 and ${declaresUnpinned('$3')} order by t.tool`

/**
 * Returns the tools of an environment with a definition that is declared and not pinned, by name. There are at most 5,000. Tools without pins and
 * tools that are blocked are left out.
 */
export function findChanged(db: Sql, environmentId: string, now: string) {
  return db.all(raw<ChangedRow>(changed, [db.tenantId, environmentId, now]))
}

// The sum does not depend on the order, so nothing is sorted and the memory does not grow with the number of agents.
const callers = `select e.name, e.slug, e.is_production, g.governance_gate,
    array(select z.id from freezes z where z.tenant_id = $1 and z.is_active order by z.id) as freezes,
    (select coalesce(sum(hashtextextended(concat_ws(' ', a.id, a.status, a.lifecycle_status, a.policy_id, p.version, a.name), 0)::numeric), 0)::text
      from agents a left join policies p on p.tenant_id = $1 and p.id = a.policy_id
      where a.tenant_id = $1 and a.environment_id = $2 and a.status <> 'archived') as agents
  from environments e join tenants g on g.id = $1 where e.tenant_id = $1 and e.id = $2`

/**
 * Describes what decides which agents of an environment may call a tool, as a text: the agents and their state, the versions of their policies, freezes
 * and the governance gate. A change of these changes the text.
 */
export async function describeCallers(db: Sql, environmentId: string): Promise<string> {
  return JSON.stringify(await db.all(raw(callers, [db.tenantId, environmentId])))
}

const pinned = `select e.id from environments e where e.tenant_id = $1 and e.tool_pinning <> 'off'
  and exists (select from tools t where ${withPins} and t.environment_id = e.id) order by e.id`

/** Returns the environments whose tools can have changed definitions. */
export async function findEnvironmentsWithPins(db: Sql): Promise<string[]> {
  return (await db.all(raw<{ id: string }>(pinned, [db.tenantId]))).map(({ id }) => id)
}

/** The changes for which the findings of an environment were last settled, and when. */
export interface Settled {
  id: string
  changes: string
  at: string
}

/** Returns for which changes the findings of environments were settled. Environments without changes are left out. */
export function findSettled(db: Sql) {
  const text = `select environment_id as id, settled_changes as changes, settled_at as at from tool_inventories
    where tenant_id = $1 and settled_changes is not null`
  return db.all(raw<Settled>(text, [db.tenantId]))
}

/** `changes` is null if the environment has no changed definitions any more. */
export async function storeSettled(tx: Tx, environmentId: string, changes: string | null, now: string): Promise<void> {
  const text =
    'update tool_inventories set settled_changes = $3, settled_at = $4 where tenant_id = $1 and environment_id = $2'
  await tx.all(raw(text, [tx.tenantId, environmentId, changes, now]))
}

/** Returns the next agents of an environment by id that are not archived. */
export async function findLiveAgents(db: Sql, environmentId: string, after: string, most: number): Promise<string[]> {
  const text = `select id from agents where tenant_id = $1 and environment_id = $2 and id > $3::uuid and status <> 'archived'
    order by id limit $4`
  return (await db.all(raw<{ id: string }>(text, [db.tenantId, environmentId, after, most]))).map(({ id }) => id)
}
