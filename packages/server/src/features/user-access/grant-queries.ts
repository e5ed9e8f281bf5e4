import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { sql } from '../../db/statements/statement.ts'

const grantsOf = (db: Sql, actor: Member, userId: string) =>
  sql
    .selectFrom('agent_grants')
    .innerJoin('agents', (join) =>
      join.onRef('agents.tenant_id', '=', 'agent_grants.tenant_id').onRef('agents.id', '=', 'agent_grants.agent_id'),
    )
    .select(['agent_grants.id', 'agent_grants.agent_id', 'agent_grants.created_at', 'agents.name as agent_name'])
    .where('agent_grants.tenant_id', '=', db.tenantId)
    .where('agent_grants.user_id', '=', userId)
    .where(agentVisibleTo(actor))

export type GrantRow = Awaited<ReturnType<typeof findGrants>>[number]

/** Returns a user's grants on agents that the actor can see, oldest first. */
export function findGrants(db: Sql, actor: Member, userId: string) {
  return db.all(grantsOf(db, actor, userId).orderBy('agent_grants.created_at').orderBy('agent_grants.id'))
}

export function findGrantOn(db: Sql, actor: Member, userId: string, agentId: string) {
  return db.maybe(grantsOf(db, actor, userId).where('agent_grants.agent_id', '=', agentId))
}

export function findGrant(db: Sql, actor: Member, userId: string, grantId: string) {
  return db.maybe(grantsOf(db, actor, userId).where('agent_grants.id', '=', grantId))
}

/** Returns an agent that the actor can see and prevents its deletion until the transaction ends. */
export function findVisibleAgentHeld(tx: Tx, actor: Member, agentId: string) {
  return tx.maybe(
    sql
      .selectFrom('agents')
      .select(['id', 'name'])
      .where('tenant_id', '=', tx.tenantId)
      .where('id', '=', agentId)
      .where(agentVisibleTo(actor))
      .forKeyShare(),
  )
}

export interface NewGrant {
  id: string
  userId: string
  agentId: string
  createdAt: string
}

export async function insertGrant(tx: Tx, { id, userId, agentId, createdAt }: NewGrant): Promise<void> {
  const values = { tenant_id: tx.tenantId, id, user_id: userId, agent_id: agentId, created_at: createdAt }
  await tx.all(sql.insertInto('agent_grants').values(values))
}

export async function deleteGrant(tx: Tx, grantId: string): Promise<void> {
  await tx.all(sql.deleteFrom('agent_grants').where('tenant_id', '=', tx.tenantId).where('id', '=', grantId))
}
