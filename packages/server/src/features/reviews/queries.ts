import type { Review, ReviewFilters, ReviewKind, ReviewOutcome } from '@mandate/contract/reviews'
import { sql as fragment, type RawBuilder } from 'kysely'
import { reviewColumns } from '../../agent-state/review-queries.ts'
import type { Member } from '../../authz/actor.ts'
import { seesWholeTenant } from '../../authz/can.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import { findRecordsInSight } from '../../caller/records-in-sight.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { partOf, type RecordList } from '../../db/record-list.ts'
import { raw, sql } from '../../db/statement.ts'

const columns = [
  'reviews.id',
  'reviews.agent_id',
  'reviews.kind',
  'reviews.status',
  'reviews.assigned_role',
  'reviews.requested_by',
  'reviews.opened_at',
  'reviews.resolved_by',
  'reviews.resolved_at',
  'reviews.comment',
] as const

const isOfVisibleAgent = (actor: Member) => fragment<boolean>`exists (select from agents
  where agents.tenant_id = reviews.tenant_id and agents.id = reviews.agent_id and ${agentVisibleTo(actor)})`

function visible(db: Sql, actor: Member) {
  const ofTenant = sql.selectFrom('reviews').where('reviews.tenant_id', '=', db.tenantId)
  // Every review belongs to an agent, so an actor who sees all agents sees all reviews.
  return seesWholeTenant(actor) ? ofTenant : ofTenant.where(isOfVisibleAgent(actor))
}

/** Returns a review of an agent that the actor sees. */
export async function findReview(db: Sql, actor: Member, id: string): Promise<Review | undefined> {
  return (await db.maybe(visible(db, actor).select(columns).where('reviews.id', '=', id))) as Review | undefined
}

/** Returns one page of reviews, newest first. `total` counts up to 10,000. */
export async function findReviews(db: Sql, actor: Member, { agent_id, status, kind, limit, offset }: ReviewFilters) {
  const list: RecordList = {
    table: 'reviews',
    agentId: agent_id,
    newest: ['id'],
    parts: [partOf({ agent_id, status, kind })],
    limit,
    offset,
  }
  const { ids, total } = await findRecordsInSight(db, actor, list)
  const [data, counted] = await Promise.all([findByIds(db, ids), total])
  return { data, total: counted }
}

async function findByIds(db: Sql, ids: RawBuilder<string[]>): Promise<Review[]> {
  const found = sql.selectFrom('reviews').select(columns).where('tenant_id', '=', db.tenantId)
  return (await db.all(found.where(({ eb, fn }) => eb('id', '=', fn.any(ids))).orderBy('id', 'desc'))) as Review[]
}

/**
 * Returns whether the agent is in production, and its lifecycle status. `owners_asked` is true if the agent has a pending
 * review that is assigned to owners, besides the review `reviewId`.
 */
export function findStakes(db: Sql, agentId: string, reviewId: string) {
  return db.one(
    raw<{ is_production: boolean; lifecycle_status: string; owners_asked: boolean }>(
      `select coalesce(e.is_production, false) as is_production, a.lifecycle_status,
         exists (select from reviews o where o.tenant_id = $1 and o.agent_id = a.id and o.id <> $3
           and o.status = 'pending' and o.assigned_role = 'owner') as owners_asked
       from agents a left join environments e on e.tenant_id = $1 and e.id = a.environment_id
       where a.tenant_id = $1 and a.id = $2`,
      [db.tenantId, agentId, reviewId],
    ),
  )
}

/** Returns whether a user other than `userId` has one of these roles and sees the agent. */
export async function hasOtherResolver(
  db: Sql,
  { userId, agentId, roles }: { userId: string; agentId: string; roles: readonly string[] },
): Promise<boolean> {
  const text = `select exists (select from users u
    where u.tenant_id = $1 and u.id <> $2 and u.role = any($4) and u.status = 'active' and not u.academy_only
      and (u.role = 'owner' or u.access_scope = 'all' or exists (select from agent_grants g
        where g.tenant_id = $1 and g.user_id = u.id and g.agent_id = $3))) as found`
  return (await db.one(raw<{ found: boolean }>(text, [db.tenantId, userId, agentId, roles]))).found
}

/** Returns whether the agent has a pending review of this kind. The agent's row must be locked. */
export async function hasPending(tx: Tx, agentId: string, kind: ReviewKind): Promise<boolean> {
  const text = `select id from reviews where tenant_id = $1 and agent_id = $2 and kind = $3 and status = 'pending'`
  return (await tx.maybe(raw(text, [tx.tenantId, agentId, kind]))) !== undefined
}

/** Locks a review until the transaction ends. */
export function lockReview(tx: Tx, id: string) {
  return tx.maybe(
    raw<Review>(`select ${reviewColumns} from reviews where tenant_id = $1 and id = $2 for update`, [tx.tenantId, id]),
  )
}

export function storeOutcome(
  tx: Tx,
  id: string,
  { outcome, comment, userId, now }: { outcome: ReviewOutcome; comment: string; userId: string; now: string },
) {
  const text = `update reviews set status = $3, comment = $4, resolved_by = $5, resolved_at = $6
    where tenant_id = $1 and id = $2 returning ${reviewColumns}`
  return tx.one(raw<Review>(text, [tx.tenantId, id, outcome, comment, userId, now]))
}

/** The approval of record of an agent: the policy version that a review approved. */
export interface Approval {
  policyId: string
  version: number | null
  hash: string
}

/**
 * Returns the current version of the agent's policy and prevents a save until the transaction ends; undefined for an agent without
 * a policy.
 */
export function lockPolicyInForceForShare(tx: Tx, agentId: string): Promise<Approval | undefined> {
  const text = `select p.id as "policyId", p.version, p.content_hash as hash from agents a
    join policies p on p.tenant_id = $1 and p.id = a.policy_id where a.tenant_id = $1 and a.id = $2 for share of p`
  return tx.maybe(raw<Approval>(text, [tx.tenantId, agentId]))
}

/** Stores the agent's approval of record (the policy version that a review approved). Deletes it if `approval` is null. */
export async function storeApproval(tx: Tx, agentId: string, approval: Approval | null, now: string): Promise<void> {
  const text = `update agents set approved_policy_id = $3, approved_version = $4, approved_hash = $5, updated_at = $6
    where tenant_id = $1 and id = $2`
  const { policyId, version, hash } = approval ?? { policyId: null, version: null, hash: null }
  await tx.all(raw(text, [tx.tenantId, agentId, policyId, version, hash, now]))
}
