import type { Review, ReviewFilters, ReviewKind, ReviewOutcome } from '@mandate/contract/reviews'
import { sql as fragment, type RawBuilder } from 'kysely'
import { driftStateSql, findingMovedSql, isOpenDriftFinding } from '../../agent-state/drift.ts'
import { hasOtherResolver } from '../../agent-state/other-resolver.ts'
import { reviewColumns } from '../../agent-state/review-queries.ts'
import type { Member } from '../../authz/actor.ts'
import { seesWholeTenant } from '../../authz/can.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import { countRecordsInSight, findRecordsInSight } from '../../caller/records-in-sight.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import { reviewList } from './review-list.ts'
import type { ReviewStakes } from './rules.ts'

const columns = [
  'reviews.id',
  'reviews.agent_id',
  'reviews.environment_id',
  'reviews.subject',
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

type Filters = Partial<ReviewFilters> & Pick<ReviewFilters, 'limit' | 'offset'>

/** Returns one page of reviews, newest first. `total` counts up to 10,000. */
export async function findReviews(db: Sql, actor: Member, filters: Filters) {
  const list = reviewList(actor, filters)
  if (!list) return { data: [], total: 0 }
  const { ids, total } = await findRecordsInSight(db, actor, list)
  const [data, counted] = await Promise.all([findByIds(db, ids), total])
  return { data, total: counted }
}

/** Counts the reviews that the actor could resolve now with at least one outcome. Counting stops at `atMost`. */
export async function countToDecide(db: Sql, actor: Member, atMost: number): Promise<number> {
  const list = reviewList(actor, { mine: true, limit: 1, offset: 0 })
  return list ? await countRecordsInSight(db, actor, list, atMost) : 0
}

async function findByIds(db: Sql, ids: RawBuilder<string[]>): Promise<Review[]> {
  const found = sql.selectFrom('reviews').select(columns).where('tenant_id', '=', db.tenantId)
  return (await db.all(found.where(({ eb, fn }) => eb('id', '=', fn.any(ids))).orderBy('id', 'desc'))) as Review[]
}

const otherResolver = (byOwner: 'true' | 'false') =>
  `r.requested_by is not distinct from $3::uuid and ${hasOtherResolver({ userId: '$3', agentId: 'a.id', byOwner })}`

const stakesText = `
  select r.id, coalesce(e.is_production, false) as is_production, a.lifecycle_status,
    exists (select from reviews o where o.tenant_id = $1 and o.agent_id = a.id and o.id <> r.id
      and o.status = 'pending' and o.assigned_role = 'owner') as owners_asked,
    ${otherResolver('true')} as other_owner, ${otherResolver('false')} as other_manager,
    num_nulls(u.running_policy_id, u.running_hash) > 0 as running_unknown,
    f.id is not null and ${findingMovedSql({ finding: 'f', policyId: 'u.running_policy_id', hash: 'u.running_hash' })} as running_moved
  from reviews r join agents a on a.tenant_id = $1 and a.id = r.agent_id
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  left join agent_runtime u on u.tenant_id = $1 and u.agent_id = a.id
  left join findings f on f.tenant_id = $1 and f.agent_id = a.id and ${isOpenDriftFinding('f')}
  where r.tenant_id = $1 and r.id = any($2)`

/** Returns what decides whether the user may resolve each of these reviews, by the id of the review. */
export async function findStakes(db: Sql, userId: string, ids: readonly string[]): Promise<Map<string, ReviewStakes>> {
  const rows = await db.all(raw<ReviewStakes & { id: string }>(stakesText, [db.tenantId, ids, userId]))
  return new Map(rows.map(({ id, ...stakes }) => [id, stakes]))
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

/** The review that sets an approval of record, and the user who resolved it. */
export interface ApprovedBy {
  userId: string
  reviewId: string
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

/** Returns the name of a policy, which its deletion may have removed. */
export async function findPolicyName(tx: Tx, policyId: string): Promise<string | null> {
  const text = 'select name from policies where tenant_id = $1 and id = $2'
  return (await tx.maybe(raw<{ name: string }>(text, [tx.tenantId, policyId])))?.name ?? null
}

const storeApprovalText = `
  with approved as (select $3::uuid as approved_policy_id, $4::int as approved_version, $5::text as approved_hash)
  update agents a set approved_policy_id = n.approved_policy_id, approved_version = n.approved_version,
    approved_hash = n.approved_hash, approved_by = $6, approved_review_id = $7, approved_at = $8, updated_at = $9,
    drift_state = coalesce((select ${driftStateSql({ agent: 'n', policyId: 'r.running_policy_id', hash: 'r.running_hash' })}
      from agent_runtime r where r.tenant_id = $1 and r.agent_id = $2), 'unknown')
  from approved n where a.tenant_id = $1 and a.id = $2`

/**
 * Stores the agent's approval of record (the policy version that a review approved) and the drift that follows from it. Deletes
 * the approval if `approval` is null.
 */
export async function storeApproval(
  tx: Tx,
  agentId: string,
  approval: (Approval & ApprovedBy) | null,
  now: string,
): Promise<void> {
  const values = approval
    ? [approval.policyId, approval.version, approval.hash, approval.userId, approval.reviewId, now]
    : [null, null, null, null, null, null]
  await tx.all(raw(storeApprovalText, [tx.tenantId, agentId, ...values, now]))
}
