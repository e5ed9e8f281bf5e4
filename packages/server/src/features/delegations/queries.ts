import type { Delegation } from '@mandate/contract/delegations'
import { frozenSql } from '../../agent-state/frozen.ts'
import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { countBounded } from '../../db/lists/bounded-count.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import type { Reach } from '../edge/reach/reach.ts'
import type { Counts, Receiver, Subject } from './rules.ts'

/** The names in a chain, from the user to the agent that holds the delegation. */
export type Chain = Delegation['chain']

const columns = [
  'd.id',
  'd.agent_id',
  'd.subject_user_id',
  'd.environment_id',
  'd.parent_id',
  'd.depth',
  'd.chain',
  'd.tools',
  'd.created_by',
  'd.created_at',
  'd.expires_at',
  'd.ended_at',
  'd.ended_because',
  'd.ended_by',
] as const

/** A delegation without its state, which depends on the time. */
export type DelegationRow = Omit<Delegation, 'state' | 'may' | 'may_not'>

/** Selects the delegations of the agents that the actor sees. */
const visible = (db: Sql, actor: Member) =>
  sql
    .selectFrom('delegations as d')
    .innerJoin('agents', (join) =>
      join.onRef('agents.tenant_id', '=', 'd.tenant_id').onRef('agents.id', '=', 'd.agent_id'),
    )
    .where('d.tenant_id', '=', db.tenantId)
    .where(agentVisibleTo(actor))

/** Returns one page of the delegations that the actor sees, newest first. */
export async function findDelegations(
  db: Sql,
  actor: Member,
  agentId: string | undefined,
  { limit, offset }: { limit: number; offset: number },
) {
  const all = visible(db, actor)
  const seen = agentId === undefined ? all : all.where('d.agent_id', '=', agentId)
  const [delegations, total] = await Promise.all([
    db.all(seen.select(columns).orderBy('d.id', 'desc').limit(limit).offset(offset)) as Promise<DelegationRow[]>,
    countBounded(db, seen),
  ])
  return { delegations, total }
}

/** Returns a delegation that the actor sees. */
export function findDelegation(db: Sql, actor: Member, id: string) {
  return db.maybe(visible(db, actor).select(columns).where('d.id', '=', id)) as Promise<DelegationRow | undefined>
}

const lockUser = 'select id from users where tenant_id = $1 and id = $2 for share'
const subject = `select u.id, u.role, u.status, u.academy_only, u.read_only, coalesce(nullif(u.display_name, ''), 'a user') as name,
    u.role = 'owner' or u.access_scope = 'all'
      or exists (select from agent_grants g where g.tenant_id = $1 and g.user_id = u.id and g.agent_id = $3) as sees
  from users u where u.tenant_id = $1 and u.id = $2`

/**
 * Returns a user, and whether they see the agent. A user without a name gets a neutral one, because agents read the name and must not
 * learn the e-mail address. The user is locked, so that their rights stay until the transaction ends. The rights are read
 * by a second statement: the first one, after it waited for the lock, would still see a grant that was deleted meanwhile.
 */
export async function lockSubject(tx: Tx, userId: string, agentId: string) {
  const [, user] = await Promise.all([
    tx.maybe(raw<{ id: string }>(lockUser, [tx.tenantId, userId])),
    tx.maybe(raw<Subject & { id: string; name: string }>(subject, [tx.tenantId, userId, agentId])),
  ])
  return user
}

const receiverColumns = [
  'agents.id',
  'agents.name',
  'agents.status',
  'agents.lifecycle_status',
  'agents.environment_id',
] as const

export type ReceiverRow = Omit<Receiver, 'hasEnvironment'> & { id: string; name: string; environment_id: string | null }

const receiver = (db: Sql, actor: Member, agentId: string) =>
  sql
    .selectFrom('agents')
    .select(receiverColumns)
    .where('agents.tenant_id', '=', db.tenantId)
    .where('agents.id', '=', agentId)
    .where(agentVisibleTo(actor))

/** Returns an agent that the actor sees. */
export function findReceiver(db: Sql, actor: Member, agentId: string): Promise<ReceiverRow | undefined> {
  return db.maybe(receiver(db, actor, agentId))
}

/** Like `findReceiver`. The agent is locked, so that it is not stopped until the transaction ends. */
export function lockReceiver(tx: Tx, actor: Member, agentId: string): Promise<ReceiverRow | undefined> {
  return tx.maybe(receiver(tx, actor, agentId).forShare('agents'))
}

const inEnvironment = `select ${receiverColumns.join(', ')}, ${frozenSql({ agent: 'agents', tenantId: '$1' })} as frozen
  from agents where tenant_id = $1 and id = any($2::uuid[]) and environment_id = $3 order by id for share of agents`

/** Returns agents of an environment, locked like `lockReceiver`. `frozen` is true while an active freeze covers the agent. */
export function lockAgentsIn(tx: Tx, environmentId: string, agentIds: readonly string[]) {
  return tx.all(raw<ReceiverRow & { frozen: boolean }>(inEnvironment, [tx.tenantId, agentIds, environmentId]))
}

const insertList = `insert into delegation_lists (tenant_id, environment_id, version) values ($1, $2, 1)
  on conflict (tenant_id, environment_id) do nothing returning version`
const lock = 'select version from delegation_lists where tenant_id = $1 and environment_id = $2 for update'

/**
 * Locks the list of an environment until the transaction ends: delegations there are made and ended one after the other. Lock users and agents
 * before. Returns whether the environment never had a delegation.
 */
export async function lockList(tx: Tx, environmentId: string): Promise<{ isFirst: boolean }> {
  const values = [tx.tenantId, environmentId]
  const [first] = await Promise.all([
    tx.maybe(raw<{ version: number }>(insertList, values)),
    tx.one(raw<{ version: number }>(lock, values)),
  ])
  return { isFirst: first !== undefined }
}

const active = (condition: string, most: string) => `(select count(*) from (select from delegations d
  where d.tenant_id = $1 and d.ended_at is null and d.expires_at > $2::timestamptz ${condition} limit ${most}) counted)`
const counts = `select ${active('and d.agent_id = $3', '1000')} as of_agent,
  ${active('and d.agent_id = $3 and d.parent_id is not null', '1000')} as received,
  ${active('and d.subject_user_id = $4 and d.parent_id is null', '1000')} as of_subject,
  ${active('and d.agent_id = $3 and d.subject_user_id = $4 and d.parent_id is null', '1000')} as of_both,
  ${active('and d.parent_id = $6', '1000')} as of_parent, ${active('', '20000')} as of_tenant,
  (select count(*) from (select from delegations d where d.tenant_id = $1 and d.created_by = $7 and d.ended_in is not null
    and d.expires_at > $2::timestamptz limit 1000) counted) as ended_of_creator,
  (select count(*) from delegations d where d.tenant_id = $1 and d.environment_id = $5 and d.ended_in is not null
    and d.expires_at > $2::timestamptz) as ended`

type Counted = Pick<NewRow, 'agentId' | 'subjectId' | 'environmentId' | 'parentId' | 'createdBy'>

/** Counts what the limits are about. */
export function countDelegations(
  tx: Tx,
  { agentId, subjectId, environmentId, parentId, createdBy }: Counted,
  now: string,
): Promise<Counts> {
  return tx.one(raw<Counts>(counts, [tx.tenantId, now, agentId, subjectId, environmentId, parentId, createdBy]))
}

export interface NewRow {
  id: string
  rootId: string
  parentId: string | null
  ancestors: readonly string[]
  environmentId: string
  agentId: string
  subjectId: string
  chain: Chain
  tools: readonly string[]
  createdBy: string | null
  expiresAt: string
}

const insert = `insert into delegations (tenant_id, id, root_id, parent_id, ancestors, depth, environment_id, agent_id,
    subject_user_id, chain, tools, created_by, created_at, expires_at)
  values ($1, $2, $3, $4, $5::uuid[], cardinality($5::uuid[]) + 1, $6, $7, $8, $9, $10, $11, $12, $13)`

export async function insertDelegation(tx: Tx, row: NewRow, now: string): Promise<void> {
  const { id, rootId, parentId, ancestors, environmentId, agentId, subjectId, chain, tools, createdBy, expiresAt } = row
  await tx.all(
    raw(insert, [
      tx.tenantId,
      id,
      rootId,
      parentId,
      ancestors,
      environmentId,
      agentId,
      subjectId,
      JSON.stringify(chain),
      tools,
      createdBy,
      now,
      expiresAt,
    ]),
  )
}

export type HeldRow = DelegationRow & { root_id: string; ancestors: string[] }

const heldColumns = [...columns, 'd.root_id', 'd.ancestors'].join(', ')
const held = `select ${heldColumns} from delegations d
  where d.tenant_id = $1 and d.id = $2 and (d.agent_id = $3::uuid or d.environment_id = $4::uuid)`

/** Returns a delegation that an agent of the reach holds. */
export function findHeld(db: Sql, { agentId, environmentId }: Reach, id: string): Promise<HeldRow | undefined> {
  return db.maybe(raw<HeldRow>(held, [db.tenantId, id, agentId, environmentId]))
}

const above = `select ${heldColumns} from delegations d where d.tenant_id = $1 and d.id = any($2::uuid[]) order by d.depth`

/** Returns delegations of one chain, the first one first. */
export function findChain(db: Sql, ids: readonly string[]): Promise<HeldRow[]> {
  return db.all(raw<HeldRow>(above, [db.tenantId, ids]))
}
