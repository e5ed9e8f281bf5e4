import type { AgentCreate } from '@mandate/contract/agents'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { placeInEnvironment } from '../../../caller/place-in-environment.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { invalid } from '../../../refusal.ts'
import { digest, newCredential } from '../../../security/credentials.ts'
import { newAgentJson } from '../json/agent-json-queries.ts'
import { insertOnboardingReview, insertOwnGrant, lockOwnerForKeyShare } from '../queries.ts'
import { requireAssignablePolicy } from './assignable-policy.ts'
import { insertAgent, type NewAgent } from './new-agent-queries.ts'

/**
 * Registers an agent. Only this response contains the agent key; the database stores only its digest.
 * If the tenant's governance gate is `alert` or `enforce`, the agent is `proposed` and an onboarding review is opened.
 * If the caller sees only some agents, the caller gets a grant for the new agent.
 * @throws the errors of `placeInEnvironment` and `requireAssignablePolicy`; 400 if the owner is not a user of the tenant
 */
export async function createAgent(
  ctx: Ctx<Member>,
  input: AgentCreate,
): Promise<{ agentJson: string; agentKey: string }> {
  const agentKey = newCredential('ak')
  const environment = await placeInEnvironment(ctx, input.environment_id)
  const { governance_gate: gate } = environment
  return await ctx.inTenant(async (tx) => {
    const policy = await policyOf(tx, ctx.actor, input.policy_id, environment.id)
    await requireOwnerInTenant(tx, input.owner_user_id)
    const agent: NewAgent = {
      ...input,
      id: newId(),
      environment_id: environment.id,
      lifecycle_status: gate === 'off' ? 'approved' : 'proposed',
      key_hash: digest(agentKey),
      now: ctx.now,
    }
    // No statement depends on the result of another, so they are sent together. If one fails, the transaction is rolled back.
    const [{ wire_fields: wireFields, frozen }] = await Promise.all([
      insertAgent(tx, agent),
      ...(ctx.actor.accessScope === 'scoped' ? [grantToCreator(tx, ctx, agent)] : []),
      auditCreation(tx, ctx, agent),
      ...(gate === 'off' ? [] : [openOnboardingReview(tx, ctx, agent, environment.is_production)]),
      ctx.finish(tx),
    ])
    return { agentJson: newAgentJson({ wireFields, frozen, environment, policy }, ctx.now), agentKey }
  })
}

async function policyOf(tx: Tx, actor: Member, policyId: string | undefined, environmentId: string) {
  return policyId === undefined ? undefined : await requireAssignablePolicy(tx, actor, policyId, environmentId)
}

/** @throws 400 if the owner has no seat in the tenant */
export async function requireOwnerInTenant(tx: Tx, userId: string | undefined): Promise<void> {
  if (userId === undefined || (await lockOwnerForKeyShare(tx, userId))) return
  throw invalid('owner_user_id: user not found')
}

function auditCreation(tx: Tx, ctx: Ctx<Member>, { id, name, environment_id, policy_id, lifecycle_status }: NewAgent) {
  return recordAudit(tx, ctx, 'agent.created', {
    resource: { type: 'agent', id, name },
    details: { environment_id, policy_id: policy_id ?? null, lifecycle_status },
    agentId: id,
    environmentId: environment_id,
  })
}

async function openOnboardingReview(tx: Tx, ctx: Ctx<Member>, agent: NewAgent, isProduction: boolean): Promise<void> {
  const id = newId()
  const assignedRole = isProduction ? 'owner' : 'manager'
  const review = { id, agentId: agent.id, assignedRole, requestedBy: ctx.actor.userId, now: ctx.now } as const
  await Promise.all([
    insertOnboardingReview(tx, review),
    recordAudit(tx, ctx, 'review.opened', {
      resource: { type: 'review', id, name: agent.name },
      details: { kind: 'onboarding', assigned_role: assignedRole },
      agentId: agent.id,
      environmentId: agent.environment_id,
    }),
  ])
}

async function grantToCreator(tx: Tx, ctx: Ctx<Member>, agent: NewAgent): Promise<void> {
  const { userId, displayName, email } = ctx.actor
  const id = newId()
  await Promise.all([
    insertOwnGrant(tx, id, userId, agent.id, ctx.now),
    recordAudit(tx, ctx, 'user.grant_created', {
      resource: { type: 'user', id: userId, name: displayName || email },
      details: { grant_id: id, agent_id: agent.id, agent_name: agent.name },
      agentId: agent.id,
    }),
  ])
}
