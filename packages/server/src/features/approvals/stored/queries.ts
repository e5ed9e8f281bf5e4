import type {
  Approval,
  ApprovalEnd,
  ApprovalFilters,
  ApprovalOutcome,
  ApprovalRequest,
  ApprovalStatus,
} from '@mandate/contract/approvals'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { EdgeActor, Member } from '../../../authz/actor.ts'
import { agentVisibleTo } from '../../../authz/visibility.ts'
import { countRecordsInSight, findRecordsInSight } from '../../../caller/records-in-sight.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { environmentOfAgent } from '../../../db/lists/record-list.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { servedBy } from '../../edge/reach/served.ts'
import { approvalList } from './approval-list.ts'
import { deleteDeadlines, insertDeadline } from './expiry-queries.ts'
import { deleteLinks } from './link-queries.ts'
import { userOrNobody } from './owner-queries.ts'

/** A condition on the agent `a` of an approval: true if the caller may see or use the agent's approvals. */
export type Reach = RawBuilder<boolean>

export const seenBy = (actor: Member): Reach => agentVisibleTo(actor, 'a')

export function heldBy(actor: EdgeActor): Reach {
  const { agentId, environmentId } = servedBy(actor)
  return fragment<boolean>`(a.id = ${agentId}::uuid or a.environment_id = ${environmentId}::uuid)`
}

const inReach = (db: Sql, reach: Reach) =>
  sql
    .selectFrom('approvals as p')
    .innerJoin('agents as a', (join) => join.onRef('a.tenant_id', '=', 'p.tenant_id').onRef('a.id', '=', 'p.agent_id'))
    .where('p.tenant_id', '=', db.tenantId)
    .where(reach)

/** The status at `now`. An overdue approval counts as expired, even if that is not stored yet. */
const statusAt = (now: string) =>
  fragment<ApprovalStatus>`case when p.status in ('pending', 'approved') and p.expires_at <= ${now}
    then 'expired' else p.status end`

/** Why the approval is expired at `now`. */
const endedAt = (now: string) =>
  fragment<ApprovalEnd | null>`case when p.status in ('pending', 'approved') and p.expires_at <= ${now}
    then 'time' else p.ended_because end`

const orEmpty = (column: 'p.chain' | 'p.content') => fragment<unknown[]>`coalesce(${fragment.ref(column)}, '[]')`

/** The edge that requested the approval. Its name is the current one. */
const edgeOf = ({ tenantId }: Sql) => fragment<Approval['edge']>`(select json_build_object('id', e.id, 'name', e.name)
  from edges e where e.tenant_id = ${tenantId} and e.id = p.edge_id)`

const readAt = (db: Sql, reach: Reach, now: string) =>
  inReach(db, reach).select([
    'p.id',
    'p.agent_id',
    'a.name as agent_name',
    'a.environment_id',
    'p.tool',
    'p.args_digest',
    'p.arguments',
    'p.arguments_exact',
    'p.session_id',
    'p.on_behalf_of',
    orEmpty('p.chain').as('chain'),
    fragment<string[]>`coalesce(p.labels, '{}')`.as('labels'),
    orEmpty('p.content').as('content'),
    edgeOf(db).as('edge'),
    'p.policy_id',
    'p.policy_version',
    'p.policy_hash',
    'p.rule_id',
    'p.rule_name',
    'p.reason',
    statusAt(now).as('status'),
    'p.assigned_role',
    'p.requested_at',
    'p.expires_at',
    'p.resolved_by',
    'p.resolved_at',
    'p.comment',
    endedAt(now).as('ended_because'),
    'p.freeze_id',
    'p.consumed_at',
  ])

export async function findApproval(db: Sql, reach: Reach, id: string, now: string): Promise<Approval | undefined> {
  return (await db.maybe(readAt(db, reach, now).where('p.id', '=', id))) as Approval | undefined
}

/** Like `findApproval`, and locks the row until the transaction ends. */
export async function lockApproval(tx: Tx, reach: Reach, id: string, now: string): Promise<Approval | undefined> {
  return (await tx.maybe(readAt(tx, reach, now).where('p.id', '=', id).forUpdate('p'))) as Approval | undefined
}

type Filters = Partial<ApprovalFilters> & Pick<ApprovalFilters, 'limit' | 'offset'>

/** Returns one page of the approvals of agents that the actor sees. `total` counts up to 10,000. */
export async function findApprovals(db: Sql, actor: Member, filters: Filters, now: string) {
  const list = approvalList(actor, filters, now)
  if (!list) return { data: [], total: 0 }
  const { ids, total } = await findRecordsInSight(db, actor, list)
  const [data, counted] = await Promise.all([
    findByIds(db, ids, { now, byExpiry: filters.sort === 'expires_at' }),
    total,
  ])
  return { data, total: counted }
}

/** Counts the approvals that the actor could decide now. Counting stops at `atMost`. */
export async function countToDecide(db: Sql, actor: Member, now: string, atMost: number): Promise<number> {
  const list = approvalList(actor, { mine: true, limit: 1, offset: 0 }, now)
  return list ? await countRecordsInSight(db, actor, list, atMost) : 0
}

// Does not check visibility. The caller passes only ids of approvals that the actor may see.
async function findByIds(
  db: Sql,
  ids: RawBuilder<string[]>,
  { now, byExpiry }: { now: string; byExpiry: boolean },
): Promise<Approval[]> {
  const found = readAt(db, fragment`true`, now).where(({ eb, fn }) => eb('p.id', '=', fn.any(ids)))
  const sorted = byExpiry
    ? found.orderBy('p.expires_at').orderBy('p.id')
    : found.orderBy('p.requested_at', 'desc').orderBy('p.id', 'desc')
  return (await db.all(sorted)) as Approval[]
}

/** Returns the stored digest of the request that created the approval with this id. */
export function findRequestHash(tx: Tx, id: string) {
  return tx.maybe(
    raw<{ hash: string }>('select request_hash as hash from approvals where tenant_id = $1 and id = $2', [
      tx.tenantId,
      id,
    ]),
  )
}

export interface NewApproval extends ApprovalRequest {
  request_hash: string
  /** Null if an agent requested the approval with its own key. */
  edge_id: string | null
  /** True if `args_digest` is the digest of the tool and the shown arguments. */
  arguments_exact: boolean
  assigned_role: 'manager' | 'owner'
  requested_at: string
  expires_at: string
}

const ownerOfAgent = userOrNobody('(select a.owner_user_id from agents a where a.tenant_id = $1 and a.id = $3)')

const insertText = `
  insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, arguments, policy_id, policy_version,
    policy_hash, rule_id, rule_name, reason, request_hash, status, assigned_role, requested_at, expires_at, last_resort_user_id,
    agent_owner_user_id, session_id, on_behalf_of, chain, labels, content, edge_id, arguments_exact)
  values ($1, $2, $3, ${environmentOfAgent}, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', $14, $15, $16,
    ${ownerOfAgent}, ${ownerOfAgent}, $17, $18, $19, $20, $21, $22, $23)`

const jsonOrNull = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Inserts the approval and its expiry row. */
export async function insertApproval(tx: Tx, approval: NewApproval): Promise<void> {
  const { approval_id: id, expires_at: expiresAt } = approval
  await Promise.all([
    tx.all(
      raw(insertText, [
        tx.tenantId,
        id,
        approval.agent_id,
        approval.tool,
        approval.args_digest,
        jsonOrNull(approval.arguments),
        approval.policy_id,
        approval.policy_version,
        approval.policy_hash,
        approval.rule_id ?? null,
        approval.rule_name ?? null,
        approval.reason,
        approval.request_hash,
        approval.assigned_role,
        approval.requested_at,
        expiresAt,
        approval.session_id ?? null,
        approval.on_behalf_of ?? null,
        jsonOrNull(approval.chain),
        approval.labels ?? null,
        jsonOrNull(approval.content),
        approval.edge_id,
        approval.arguments_exact,
      ]),
    ),
    insertDeadline(tx, id, expiresAt),
  ])
}

export interface Outcome {
  outcome: ApprovalOutcome
  comment: string | null
  userId: string
  now: string
}

/** Stores the outcome of a locked approval and deletes its links. */
export async function storeOutcome(tx: Tx, id: string, { outcome, comment, userId, now }: Outcome): Promise<void> {
  const text = `update approvals set status = $3, comment = $4, resolved_by = $5, resolved_at = $6
    where tenant_id = $1 and id = $2`
  await Promise.all([
    tx.all(raw(text, [tx.tenantId, id, outcome, comment, userId, now])),
    deleteLinks(tx, [id]),
    ...(outcome === 'rejected' ? [deleteDeadlines(tx, [id])] : []),
  ])
}

export async function storeConsumption(tx: Tx, id: string, now: string): Promise<void> {
  const text = `update approvals set status = 'consumed', consumed_at = $3 where tenant_id = $1 and id = $2`
  await Promise.all([tx.all(raw(text, [tx.tenantId, id, now])), deleteDeadlines(tx, [id])])
}
