import {
  type DelegationEnd,
  type delegationStates,
  mostDelegations,
  mostDepth,
  mostEnded,
  mostEndedOfCreator,
  mostHours,
  mostOfHolder,
  mostOfUser,
  mostPassedOn,
  mostReceived,
} from '@mandate/contract/delegations'
import { atLeast, type Role } from '@mandate/contract/words/roles'
import { coversPattern, type Pattern, parsePattern } from '@mandate/policy/pattern'
import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import type { Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { conflict, forbidden, invalid, type Refusal } from '../../refusal.ts'

const hourMs = 3_600_000

/** Returns the patterns of tools, each once. @throws 400 for a malformed pattern */
export function readTools(tools: readonly string[]): Pattern[] {
  return [...new Set(tools)].map((text) => {
    const parsed = parsePattern(text)
    if (!parsed.ok) throw invalid(`tools[${tools.indexOf(text)}] ${parsed.error}`)
    return parsed.pattern
  })
}

/** Returns the 400 for a pattern that no single pattern of the parent covers. */
export function widerToolsRefusal(tools: readonly Pattern[], parent: readonly Pattern[]): Refusal | undefined {
  const wider = tools.find((pattern) => !parent.some((broad) => coversPattern(broad, pattern)))
  return wider && invalid(`tools: ${wider.text} is not covered by a pattern of the parent`)
}

/** Returns the 400 for a time that is over, or too far ahead. */
export function expiryRefusal(expiresAt: string, now: string): Refusal | undefined {
  const aheadMs = Date.parse(expiresAt) - Date.parse(now)
  if (aheadMs <= 0) return invalid('expires_at must be in the future')
  return aheadMs > mostHours * hourMs ? invalid(`expires_at must be at most ${mostHours} hours ahead`) : undefined
}

/** Returns the 403 for a caller who may not delegate for this user. */
export function subjectRefusal(actor: Member, subjectId: string): Refusal | undefined {
  return subjectId === actor.userId ? undefined : otherSubjectRefusal(actor)
}

/** Returns the 403 for a caller who may delegate only for themselves. */
export function otherSubjectRefusal(actor: Member): Refusal | undefined {
  if (hasAuthority(actor, 'manager')) return undefined
  return forbidden('only a manager or an owner may delegate for another user')
}

export interface Subject {
  role: Role
  status: string
  academy_only: boolean
  read_only: boolean
  /** True if the user sees the agent. */
  sees: boolean
}

/** Returns the 409 for a user for whom nobody may delegate to the agent. */
export function subjectStateRefusal(subject: Subject): Refusal | undefined {
  const { role, status, academy_only, read_only, sees } = subject
  if (status !== 'active' || academy_only || !atLeast(role, 'member'))
    return conflict('agents act only for active users who are members or above')
  if (read_only) return conflict('this user is read-only, so no agent may act for them')
  return sees ? undefined : conflict('this user does not see the agent')
}

export interface Receiver {
  status: string
  lifecycle_status: string
  hasEnvironment: boolean
}

const stops: readonly DelegationEnd[] = ['suspended', 'archived', 'blocked', 'retired']

/** Returns the 409 for an agent that cannot hold a delegation. */
export function receiverRefusal({ status, lifecycle_status, hasEnvironment }: Receiver): Refusal | undefined {
  const stop = stops.find((word) => word === status || word === lifecycle_status)
  if (stop) return conflict(`the agent is ${stop}`)
  return hasEnvironment ? undefined : conflict('the agent has no environment, so no edge checks its delegations')
}

export interface Counts {
  of_agent: number
  /** Those of the agent that other agents passed on. */
  received: number
  /** Those that people made for the user. */
  of_subject: number
  /** Those of them that the agent holds. */
  of_both: number
  /** Those that were passed on from the parent. */
  of_parent: number
  /** Ended delegations of the person who makes this one. */
  ended_of_creator: number
  of_tenant: number
  ended: number
}

/**
 * Returns the 409 if there is no room for another delegation. What an agent passes on counts against the delegation that it holds, not against the
 * user. So an agent cannot keep people from delegating.
 */
export function roomRefusal(counts: Counts, isPassedOn: boolean): Refusal | undefined {
  const { of_agent, of_tenant, ended, ended_of_creator } = counts
  if (of_agent >= mostOfHolder) return conflict(`an agent holds at most ${mostOfHolder} active delegations`)
  if (isPassedOn && counts.of_parent >= mostPassedOn)
    return conflict(`at most ${mostPassedOn} active delegations are passed on from one delegation`)
  if (isPassedOn && counts.received >= mostReceived)
    return conflict(`an agent holds at most ${mostReceived} active delegations that other agents passed on`)
  if (!isPassedOn && counts.of_subject >= mostOfHolder)
    return conflict(`at most ${mostOfHolder} active delegations act for one user`)
  if (!isPassedOn && counts.of_both >= mostOfUser)
    return conflict(`an agent holds at most ${mostOfUser} active delegations for one user`)
  if (of_tenant >= mostDelegations)
    return conflict(`an organization has at most ${mostDelegations.toLocaleString('en-US')} active delegations`)
  if (ended_of_creator >= mostEndedOfCreator)
    return conflict('too many of your delegations were ended; make another when they have expired')
  if (ended < mostEnded) return undefined
  return conflict('too many delegations of the environment were ended; make another when they have expired')
}

export interface Parent {
  state: (typeof delegationStates)[number]
  depth: number
  expires_at: string
}

/** Returns the 409 for a delegation that cannot be passed on. */
export function parentRefusal({ state, depth }: Parent): Refusal | undefined {
  if (state !== 'active') return conflict(`the parent has ${state}`)
  return depth >= mostDepth ? conflict(`a chain of delegations is at most ${mostDepth} deep`) : undefined
}

type Revocable = Pick<Parent, 'state'> & { subject_user_id: string }

/** Returns the 403 or 409 for a delegation that the caller cannot revoke. */
export function revocationRefusal(actor: Member, { subject_user_id, state }: Revocable): Refusal | undefined {
  if (subject_user_id !== actor.userId && !hasAuthority(actor, 'manager'))
    return forbidden('only the user for whom the agent acts, a manager or an owner may revoke a delegation')
  return state === 'active' ? undefined : conflict(`this delegation has ${state}`)
}

const delegationRules: Rules<Revocable> = { revokeDelegation: revocationRefusal }

export const delegationMay = mayPart(delegationRules, () => (delegation: Revocable) => delegation)
