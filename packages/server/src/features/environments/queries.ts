import type { EnvironmentDeletionPreview, NewEnvironment } from '@mandate/contract/environments'
import type { ToolPinning } from '@mandate/contract/words/tool-words'
import type { Member } from '../../authz/actor.ts'
import { environmentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { boundedCount, countBounded } from '../../db/lists/bounded-count.ts'
import { raw, sql } from '../../db/statements/statement.ts'

export interface EnvironmentRow {
  id: string
  tenant_id: string
  name: string
  slug: string
  is_production: boolean
  governance_mode: 'enforce' | 'monitor'
  tool_pinning: ToolPinning
  keep_arguments_for_replay: boolean
  created_at: string
}

/** The columns that a request may change. */
export const changeable = [
  'name',
  'slug',
  'is_production',
  'governance_mode',
  'tool_pinning',
  'keep_arguments_for_replay',
] as const

const columns = ['id', 'tenant_id', ...changeable, 'created_at'] as const

const ofTenant = (db: Sql) => sql.selectFrom('environments').where('environments.tenant_id', '=', db.tenantId)

/** Returns one page of the environments that the actor sees, oldest first. */
export async function findEnvironments(db: Sql, actor: Member, limit: number, offset: number) {
  const seen = ofTenant(db).where(environmentVisibleTo(actor))
  const [environments, total] = await Promise.all([
    db.all(seen.select(columns).orderBy('id').limit(limit).offset(offset)) as Promise<EnvironmentRow[]>,
    countBounded(db, seen),
  ])
  return { environments, total }
}

export function findEnvironment(db: Sql, actor: Member, id: string): Promise<EnvironmentRow | undefined> {
  return db.maybe(ofTenant(db).select(columns).where('id', '=', id).where(environmentVisibleTo(actor))) as Promise<
    EnvironmentRow | undefined
  >
}

/** Like `findEnvironment`, and locks the row until the transaction ends. */
export function lockEnvironment(db: Sql, actor: Member, id: string): Promise<EnvironmentRow | undefined> {
  const found = ofTenant(db).select(columns).where('id', '=', id).where(environmentVisibleTo(actor)).forUpdate()
  return db.maybe(found) as Promise<EnvironmentRow | undefined>
}

/**
 * Inserts an environment. Returns undefined if the slug is taken. If another open transaction has inserted the same slug, waits
 * until that transaction ends.
 */
export function insertEnvironment(tx: Tx, id: string, input: NewEnvironment, now: string) {
  return tx.maybe(
    sql
      .insertInto('environments')
      .values({
        tenant_id: tx.tenantId,
        id,
        name: input.name,
        slug: input.slug,
        is_production: input.is_production ?? false,
        governance_mode: input.governance_mode ?? 'enforce',
        tool_pinning: input.tool_pinning ?? 'alert',
        keep_arguments_for_replay: input.keep_arguments_for_replay ?? false,
        created_at: now,
      })
      .onConflict((on) => on.columns(['tenant_id', 'slug']).doNothing())
      .returning(columns),
  ) as Promise<EnvironmentRow | undefined>
}

type Changeable = Omit<EnvironmentRow, 'id' | 'tenant_id' | 'created_at'>

/** @throws PostgreSQL's unique violation if the slug is taken */
export function storeEnvironment(tx: Tx, id: string, values: Changeable): Promise<EnvironmentRow> {
  const { name, slug, is_production, governance_mode, tool_pinning, keep_arguments_for_replay } = values
  return tx.one(
    raw<EnvironmentRow>(
      `update environments set name = $3, slug = $4, is_production = $5, governance_mode = $6, tool_pinning = $7, keep_arguments_for_replay = $8
       where tenant_id = $1 and id = $2 returning ${columns.join(', ')}`,
      [tx.tenantId, id, name, slug, is_production, governance_mode, tool_pinning, keep_arguments_for_replay],
    ),
  )
}

/**
 * Counts the reports and share links that the organization keeps when the environment is deleted. Expired and revoked share links
 * are not counted.
 */
export function countKept(db: Sql, environmentId: string, now: string) {
  return db.one(
    raw<Omit<EnvironmentDeletionPreview, 'api_keys' | 'agents'>>(
      `select count(*) as reports_kept, count(*) filter (where deleted_at is null) as reports_listed,
         coalesce(sum((select count(*) from report_share_links l
           where l.tenant_id = r.tenant_id and l.report_id = r.id and l.revoked_at is null
             and (l.expires_at is null or l.expires_at > $3))), 0)::bigint as live_share_links
       from reports r where tenant_id = $1 and environment_id = $2`,
      [db.tenantId, environmentId, now],
    ),
  )
}

const liveAgents = `agents where tenant_id = $1 and environment_id = $2 and status <> 'archived'`
const unrevokedKeys = 'api_keys where tenant_id = $1 and environment_id = $2 and revoked_at is null'

/** Counts the keys that a deletion of the environment revokes, and the agents that prevent it. Each count stops at 10,000. */
export function countAffected(db: Sql, environmentId: string) {
  const text = `select ${boundedCount(unrevokedKeys)} as api_keys, ${boundedCount(liveAgents)} as agents`
  return db.one(raw<{ api_keys: number; agents: number }>(text, [db.tenantId, environmentId]))
}

/**
 * Counts the agents and policies that prevent the deletion of the environment. Archived agents do not prevent it. Each count
 * stops at 10,000.
 */
export function countInUse(tx: Tx, environmentId: string) {
  return tx.one(
    raw<{ agents: number; policies: number }>(
      `select ${boundedCount(liveAgents)} as agents,
         ${boundedCount('policies where tenant_id = $1 and environment_id = $2')} as policies`,
      [tx.tenantId, environmentId],
    ),
  )
}

/** Deletes the environment's edges and their credentials. Returns only the edges that had not been revoked before. */
export async function deleteEdges(
  tx: Tx,
  environmentId: string,
): Promise<{ id: string; name: string; key_prefix: string }[]> {
  const values = [tx.tenantId, environmentId]
  const ofIt = '(select id from edges where tenant_id = $1 and environment_id = $2)'
  await tx.all(raw(`delete from credential_lookup where tenant_id = $1 and kind = 'edge' and id in ${ofIt}`, values))
  await tx.all(raw(`delete from edge_instances where tenant_id = $1 and credential_id in ${ofIt}`, values))
  const edges = await tx.all(
    raw<{ id: string; name: string; key_prefix: string; revoked_at: string | null }>(
      'delete from edges where tenant_id = $1 and environment_id = $2 returning id, name, key_prefix, revoked_at',
      values,
    ),
  )
  return edges.filter((edge) => edge.revoked_at === null)
}

/** Maximum number of findings, of reviews and of approvals that a deletion of an environment changes. */
const clearedAtMost = 10_000

/**
 * Deletes the environment and the users' access to it. Agents, their records and reports are kept, and their `environment_id`
 * becomes null.
 */
export async function deleteEnvironmentRow(tx: Tx, environmentId: string): Promise<void> {
  const values = [tx.tenantId, environmentId]
  await tx.all(raw('update agents set environment_id = null where tenant_id = $1 and environment_id = $2', values))
  await clearRecords(tx, environmentId)
  await tx.all(raw('update reports set environment_id = null where tenant_id = $1 and environment_id = $2', values))
  await tx.all(raw('delete from environment_access where tenant_id = $1 and environment_id = $2', values))
  await tx.all(raw('delete from environments where tenant_id = $1 and id = $2', values))
}

/**
 * Sets `environment_id` to null in records of the environment's agents. Must run after the environment was locked and its agents
 * were updated: no transaction can then insert a record with this environment, because it first locks or creates the agent.
 *
 * Records beyond `clearedAtMost` keep the id of the deleted environment, and so do records that another transaction has
 * locked. This is safe. Only keys that are bound to the environment list records by this id, and the deletion revokes them. Ids
 * are not reused. The limit keeps the deletion below the statement timeout. A wait for a locked record could end in a deadlock:
 * a change through a bound key locks an approval and then the key, and the deletion has locked the key before.
 */
async function clearRecords(tx: Tx, environmentId: string): Promise<void> {
  for (const table of ['findings', 'reviews', 'approvals'] as const) {
    const text = `update ${table} set environment_id = null where tenant_id = $1 and id = any(array(
      select id from ${table} where tenant_id = $1 and environment_id = $2
      limit ${clearedAtMost} for no key update skip locked))`
    await tx.all(raw(text, [tx.tenantId, environmentId]))
  }
}
