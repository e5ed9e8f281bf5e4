import { sql as fragment, type Selectable } from 'kysely'
import { subjectOfAgent } from '../../agent-state/review-queries.ts'
import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo, policyVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { environmentOfAgent } from '../../db/lists/record-list.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import type { DB, Json } from '../../db/statements/types.generated.ts'

const columns = [
  'id',
  'name',
  'description',
  'status',
  'source',
  'governance_state',
  'lifecycle_status',
  'environment_id',
  'policy_id',
  'framework',
  'model',
  'tools',
  'metadata',
  'owner_user_id',
  'key_hash',
  'key_rotated_at',
] as const

export type AgentRow = Selectable<Pick<DB['agents'], (typeof columns)[number]>>

const visible = (db: Sql, actor: Member) =>
  sql.selectFrom('agents').where('agents.tenant_id', '=', db.tenantId).where(agentVisibleTo(actor))

/** Returns an agent that the actor sees. */
export function findAgent(db: Sql, actor: Member, id: string): Promise<AgentRow | undefined> {
  return db.maybe(visible(db, actor).select(columns).where('agents.id', '=', id))
}

/** Like `findAgent`, and locks the row until the transaction ends. */
export function lockAgent(tx: Tx, actor: Member, id: string): Promise<AgentRow | undefined> {
  return tx.maybe(visible(tx, actor).select(columns).where('agents.id', '=', id).forNoKeyUpdate('agents'))
}

export type AgentChange = Partial<Omit<AgentRow, 'id' | 'metadata'>> & { metadata?: string }

/** Updates the given columns of an agent. */
export async function storeAgent(tx: Tx, id: string, { metadata, ...change }: AgentChange, now: string): Promise<void> {
  const row = {
    ...change,
    updated_at: now,
    ...(metadata !== undefined && { metadata: fragment<Json>`${metadata}::jsonb` }),
  }
  await tx.all(sql.updateTable('agents').set(row).where('tenant_id', '=', tx.tenantId).where('id', '=', id))
}

/**
 * Returns a policy that the actor sees. A shared lock prevents other transactions from moving or deleting the policy while it is
 * assigned.
 */
export function lockPolicyForShare(tx: Tx, actor: Member, id: string) {
  return tx.maybe(
    sql
      .selectFrom('policies')
      .select(['id', 'name', 'version', 'environment_id', 'override_mode', 'wire_json'])
      .where('policies.tenant_id', '=', tx.tenantId)
      .where('policies.id', '=', id)
      .where(policyVisibleTo(actor))
      .forShare('policies'),
  )
}

/**
 * Returns whether a user of the tenant has this id. A learner (a user of the training product only) does not count. A shared
 * lock prevents the user's removal until the transaction ends.
 */
export async function lockOwnerForKeyShare(tx: Tx, userId: string): Promise<boolean> {
  const text = 'select id from users where tenant_id = $1 and id = $2 and not academy_only for key share'
  return (await tx.maybe(raw(text, [tx.tenantId, userId]))) !== undefined
}

export async function insertAgentLookup(tx: Tx, hash: Buffer, agentId: string): Promise<void> {
  const text = `insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'agent', $2, $3)`
  await tx.all(raw(text, [hash, tx.tenantId, agentId]))
}

export async function deleteAgentLookup(tx: Tx, hash: Buffer): Promise<void> {
  await tx.all(
    raw(`delete from credential_lookup where hash = $1 and kind = 'agent' and tenant_id = $2`, [hash, tx.tenantId]),
  )
}

/** Whether an edge reported with the own key of the agent within the last day. */
export async function hasOwnKeyInstance(tx: Tx, agentId: string): Promise<boolean> {
  const text = 'select 1 from edge_instances where tenant_id = $1 and credential_id = $2 limit 1'
  return (await tx.maybe(raw(text, [tx.tenantId, agentId]))) !== undefined
}

interface OnboardingReview {
  id: string
  agentId: string
  assignedRole: 'manager' | 'owner'
  requestedBy: string
  now: string
}

export async function insertOnboardingReview(tx: Tx, review: OnboardingReview): Promise<void> {
  const { id, agentId, assignedRole, requestedBy, now } = review
  const text = `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, opened_at, subject)
    values ($1, $2, $3, ${environmentOfAgent}, 'onboarding', 'pending', $4, $5, $6, ${subjectOfAgent})`
  await tx.all(raw(text, [tx.tenantId, id, agentId, assignedRole, requestedBy, now]))
}

/** Lets a user see an agent. Returns false if the user was removed at the same time. */
export async function insertOwnGrant(tx: Tx, id: string, userId: string, agentId: string, now: string) {
  const text = `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
    select tenant_id, $3, id, $4, $5 from users where tenant_id = $1 and id = $2 for key share returning id`
  return (await tx.maybe(raw(text, [tx.tenantId, userId, id, agentId, now]))) !== undefined
}

/** Returns those of the agents that have a pending attestation review, and those that an active freeze names. */
export async function findObstacles(db: Sql, agentIds: readonly string[]) {
  const text = `select 'attestation' as kind, agent_id from reviews
      where tenant_id = $1 and agent_id = any($2) and kind = 'attestation' and status = 'pending'
    union all
    select 'freeze', target_id from freezes where tenant_id = $1 and target_id = any($2) and is_active`
  const rows = await db.all(raw<{ kind: 'attestation' | 'freeze'; agent_id: string }>(text, [db.tenantId, agentIds]))
  const agentsWith = (kind: string) => new Set(rows.filter((row) => row.kind === kind).map(({ agent_id }) => agent_id))
  return { attested: agentsWith('attestation'), frozen: agentsWith('freeze') }
}
