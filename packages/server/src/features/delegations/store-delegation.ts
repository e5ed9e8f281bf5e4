import type { CreatedDelegation } from '@mandate/contract/delegations'
import { recordAudit } from '../../audit/record-audit.ts'
import type { EdgeActor, Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { newIdNear } from '../../db/ids/new-id.ts'
import { throwIfRefused } from '../../refusal.ts'
import { type Chain, countDelegations, type HeldRow, insertDelegation } from './queries.ts'
import { tellList } from './raise-version.ts'
import { roomRefusal } from './rules.ts'
import { signedToken } from './token.ts'

interface Stored {
  /** The delegations above, the first one first. Empty for a delegation that a person makes. */
  above: readonly HeldRow[]
  environmentId: string
  agent: { id: string; name: string }
  subjectId: string
  chain: Chain
  tools: readonly string[]
  expiresAt: string
  createdBy: string | null
  /** True if the environment never had a delegation. */
  isFirst: boolean
}

/**
 * Stores a delegation and returns its token. The list of the environment is locked.
 * @throws 409 if there is no room
 */
export async function storeDelegation(
  tx: Tx,
  ctx: Ctx<Member> | Ctx<EdgeActor>,
  values: Stored,
): Promise<CreatedDelegation> {
  const { above, environmentId, agent, subjectId, chain, tools, expiresAt, createdBy, isFirst } = values
  const id = newIdNear(ctx.now)
  const ancestors = above.map((row) => row.id)
  const parentId = ancestors.at(-1) ?? null
  const counted = { agentId: agent.id, subjectId, environmentId, parentId, createdBy }
  throwIfRefused(roomRefusal(await countDelegations(tx, counted, ctx.now), parentId !== null))
  const row = { id, rootId: ancestors[0] ?? id, parentId, ancestors, agentId: agent.id, ...values }
  await insertDelegation(tx, { ...row, createdBy }, ctx.now)
  await recordAudit(tx, ctx, 'delegation.created', {
    resource: { type: 'delegation', id, name: agent.name },
    details: { subject_user_id: subjectId, parent_id: parentId, chain, tools, expires_at: expiresAt },
    agentId: agent.id,
    environmentId,
    source: parentId === null ? 'control_plane' : 'edge',
  })
  if (isFirst) await tellList(tx, { environmentId, version: 1, at: ctx.now })
  const links = [...above, { id, chain, tools, expires_at: expiresAt }] as const
  const token = signedToken({ tenantId: tx.tenantId, environmentId, links, now: ctx.now }, ctx.services.signingKey)
  return { id, token, expires_at: expiresAt }
}
