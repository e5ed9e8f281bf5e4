import type { ApprovalFilters, ApprovalStatus } from '@mandate/contract/approvals'
import { sql as fragment, type RawBuilder } from 'kysely'
import { isSoleResolver } from '../../../agent-state/sole-resolver.ts'
import type { Member } from '../../../authz/actor.ts'
import { type AssignedRole, decidingRoles } from '../../../authz/deciding-roles.ts'
import { limitedTo, partOf, type RecordList, type RecordPart } from '../../../db/lists/record-list.ts'

type Condition = RawBuilder<unknown>
type Filters = Partial<ApprovalFilters> & Pick<ApprovalFilters, 'limit' | 'offset'>

const openStatuses: readonly string[] = ['pending', 'approved']
const storedStatuses = ['pending', 'approved', 'rejected', 'expired', 'consumed'] as const

const isPending = fragment`r.status = 'pending'`

/** Returns the list of approvals for these filters. Returns null if no approval can match them. */
export function approvalList(actor: Member, filters: Filters, now: string): RecordList | null {
  const { agent_id, status, mine, sort, limit, offset } = filters
  const byExpiry = sort === 'expires_at'
  const list = {
    table: 'approvals' as const,
    agentId: agent_id,
    newest: byExpiry ? ['expires_at', 'id'] : ['requested_at', 'id'],
    ascending: byExpiry,
    limit,
    offset,
  }
  if (!mine) return { ...list, parts: partsOf(filters, now) }
  const roles = decidingRoles(actor, 'approvals')
  if (roles.length === 0 || (status && !status.includes('pending'))) return null
  if (agent_id === undefined) return { ...list, parts: partsToDecide(actor, roles, filters, now) }
  const pending = partsOf({ ...filters, status: ['pending'] }, now)
  return limitedTo({ ...list, parts: pending }, mayDecide(actor, roles))
}

/**
 * Selects the approvals that have one of the statuses at the time `now`. A pending or approved approval expires at `expires_at`,
 * even if its stored status has not changed yet.
 */
function partsOf(filters: Filters, now: string): RecordPart[] {
  const { status, agent_id, from, sort } = filters
  const isAnyStatus = status === undefined || storedStatuses.every((one) => status.includes(one))
  if (isAnyStatus && sort === 'expires_at') return storedStatuses.map((one) => partByExpiry(one, filters))
  if (isAnyStatus) return [{ ...partOf({ agent_id }), ...alsoAll(since(from)) }]
  return status.flatMap((one) => partsWith(one, filters, now))
}

/** Selects the approvals that have one status at the time `now`. */
function partsWith(status: ApprovalStatus, filters: Filters, now: string): RecordPart[] {
  const { agent_id, from, sort } = filters
  const isOpen = openStatuses.includes(status)
  const isCurrent = isOpen ? fragment`r.expires_at > ${now}` : undefined
  // An agent may have very many approvals and only few open ones. No index sorts them by the time of the request.
  const readsByExpiry = sort === 'expires_at' || (isOpen && agent_id !== undefined)
  const { also, ...part } = partOf({ agent_id, status })
  const listed = readsByExpiry
    ? partByExpiry(status, filters, isCurrent)
    : { ...part, ...alsoAll(also, isCurrent, since(from)) }
  if (status !== 'expired') return [listed]
  const isOverdue = fragment`r.expires_at <= ${now}`
  return [listed, ...openStatuses.map((open) => partByExpiry(open, filters, isOverdue))]
}

/**
 * Selects the approvals with a stored status from an index that sorts them by `expires_at`. In a list that is sorted by
 * `requested_at`, this is the same order, because all approvals have the same lifetime.
 */
function partByExpiry(status: string, { agent_id, from }: Filters, condition?: Condition): RecordPart {
  const ofAgent = agent_id === undefined ? [] : ([['agent_id', agent_id]] as const)
  const conditions = alsoAll(condition, since(from), expiresAfter(from))
  return { led: [...ofAgent, ['status', status]], newest: ['expires_at', 'id'], ...conditions }
}

const since = (from: string | undefined): Condition | undefined =>
  from === undefined ? undefined : fragment`r.requested_at >= ${from}`

/** True for every approval that was requested at `from` or later. Limits how much of an index that sorts by expiry is read. */
const expiresAfter = (from: string | undefined): Condition | undefined =>
  from === undefined ? undefined : fragment`r.expires_at >= ${from}`

function alsoAll(...conditions: (Condition | undefined)[]): Pick<RecordPart, 'also'> {
  const given = conditions.filter((one) => one !== undefined)
  return given.length > 0 ? { also: fragment.join(given, fragment` and `) } : {}
}

/**
 * Selects the pending approvals that the actor could decide, if the actor sees their agents. For each role there are two parts:
 * the approvals of agents that others owned at the time of the request, and those of the actor's own agents, which the actor decides only
 * if nobody else could. Few of the first are of agents that the actor owns now.
 */
function partsToDecide(actor: Member, roles: AssignedRole[], { from, sort }: Filters, now: string): RecordPart[] {
  const isCurrent = fragment`r.expires_at > ${now}`
  // `is true` keeps PostgreSQL from reading the index that sorts by expiry, and then sorting every row of a long group.
  const conditions =
    sort === 'expires_at'
      ? [isCurrent, since(from), expiresAfter(from)]
      : [fragment`(${isCurrent}) is true`, since(from)]
  return roles.flatMap((role): RecordPart[] => {
    const part = { led: [['assigned_role', role]] as const, within: isPending }
    return [
      {
        ...part,
        groups: { by: 'last_resort_user_id', with: { except: actor.userId } },
        ...alsoAll(mayDecideOfOther(actor, role), ...conditions),
      },
      {
        ...part,
        groups: { by: 'last_resort_user_id', with: { only: actor.userId } },
        ...alsoAll(isSoleResolver(actor, role), ...conditions),
      },
    ]
  })
}

/** SQL condition on a pending approval `r` of an agent that the actor sees: the actor could decide it. */
function mayDecide(actor: Member, roles: AssignedRole[]): Condition {
  const ofRoles = roles.map(
    (role) => fragment`(r.assigned_role = ${role} and case when r.last_resort_user_id = ${actor.userId}
      then ${isSoleResolver(actor, role)} else ${mayDecideOfOther(actor, role)} end)`,
  )
  return fragment`${isPending} and (${fragment.join(ofRoles, fragment` or `)})`
}

/** SQL condition on an approval `r` of an agent that another user owned at the time of the request: the actor could decide it. */
function mayDecideOfOther(actor: Member, role: AssignedRole): Condition {
  return fragment`(r.agent_owner_user_id <> ${actor.userId}
    or (${isSoleResolver(actor, role, fragment`r.last_resort_user_id`)}))`
}
