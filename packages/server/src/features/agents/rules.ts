import type { Agent } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import { ownerRefusal } from '../../authz/can.ts'
import { byAccessOnly, type Rules } from '../../authz/may.ts'
import { conflict, type Refusal } from '../../refusal.ts'
import { otherSubjectRefusal, receiverRefusal } from '../delegations/rules.ts'
import { frozenRefusal, targetRefusal } from '../freezes/rules.ts'

type Judged = Pick<Agent, 'status' | 'source' | 'lifecycle_status' | 'environment'>

export function suspensionRefusal({ status }: Pick<Judged, 'status'>): Refusal | undefined {
  return status === 'archived' ? conflict('an archived agent cannot be suspended') : undefined
}

export function resumptionRefusal({ status }: Pick<Judged, 'status'>): Refusal | undefined {
  return status === 'archived' ? conflict('an archived agent cannot be resumed') : undefined
}

/** An agent of a connected platform has no key. */
export function keyRotationRefusal({ source, status }: Pick<Judged, 'source' | 'status'>): Refusal | undefined {
  if (source !== 'runtime') return conflict('an agent of a connected platform has no key')
  return status === 'archived' ? conflict('an archived agent cannot get a new key') : undefined
}

/** Only an owner approves an agent without a review. The status that the agent already has changes nothing. */
export function lifecycleRefusal(
  actor: Member,
  { lifecycle_status: current }: Pick<Judged, 'lifecycle_status'>,
  wanted: unknown,
): Refusal | undefined {
  if (wanted !== 'approved' || wanted === current) return undefined
  return ownerRefusal(actor, 'only an owner approves an agent')
}

export function attestationRefusal(isPending: boolean): Refusal | undefined {
  if (!isPending) return undefined
  return conflict('an attestation review of this agent is already pending; resolve it first')
}

/** An agent, whether it has a pending attestation review, and whether an active freeze names it. */
export interface AgentStanding extends Judged {
  attestation_is_pending: boolean
  has_own_freeze: boolean
}

/** Returns the 409 for an agent that cannot hold a delegation. */
const delegationRefusal = (agent: AgentStanding) =>
  receiverRefusal({ ...agent, hasEnvironment: agent.environment !== null })

export const agentRules: Rules<AgentStanding> = {
  updateAgent: byAccessOnly,
  archiveAgent: byAccessOnly,
  assignPolicy: byAccessOnly,
  changeLifecycle: byAccessOnly,
  'changeLifecycle:approved': (actor, agent) => lifecycleRefusal(actor, agent, 'approved'),
  suppressAgent: byAccessOnly,
  suspendAgent: (_, agent) => suspensionRefusal(agent),
  resumeAgent: (_, agent) => resumptionRefusal(agent),
  rotateAgentKey: (_, agent) => keyRotationRefusal(agent),
  openReview: (_, agent) => attestationRefusal(agent.attestation_is_pending),
  createDelegation: (_, agent) => delegationRefusal(agent),
  'createDelegation:other': (actor, agent) => otherSubjectRefusal(actor) ?? delegationRefusal(agent),
  createFreeze: (_, agent) => targetRefusal(agent) ?? (agent.has_own_freeze ? frozenRefusal('agent') : undefined),
}
