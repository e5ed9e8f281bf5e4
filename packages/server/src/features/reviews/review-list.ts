import { type ReviewFilters, reviewKinds } from '@mandate/contract/reviews'
import { sql as fragment, type RawBuilder } from 'kysely'
import {
  hasNoOtherManager,
  hasNoOtherOwner,
  isGrantedToNoOther,
  isSoleResolver,
} from '../../agent-state/sole-resolver.ts'
import type { Member } from '../../authz/actor.ts'
import { type AssignedRole, decidingRoles, isUnboundOwner } from '../../authz/deciding-roles.ts'
import { lowestIdFrom } from '../../db/ids/id-time.ts'
import { limitedTo, partOf, type RecordList, type RecordPart } from '../../db/lists/record-list.ts'

type Condition = RawBuilder<unknown>
type Filters = Partial<ReviewFilters> & Pick<ReviewFilters, 'limit' | 'offset'>

const isPending = fragment`r.status = 'pending'`

/** Returns the list of reviews for these filters. Returns null if no review can match them. */
export function reviewList(actor: Member, filters: Filters): RecordList | null {
  const { agent_id, status, mine, limit, offset } = filters
  const list = { table: 'reviews' as const, agentId: agent_id, newest: ['id'], limit, offset }
  if (!mine) return { ...list, parts: partsOf(filters) }
  const roles = decidingRoles(actor, 'reviews')
  if (roles.length === 0 || (status && !status.includes('pending'))) return null
  if (agent_id === undefined) return { ...list, parts: partsToDecide(actor, roles, filters) }
  return limitedTo({ ...list, parts: pendingOfAgent(agent_id, filters) }, mayDecide(actor, roles))
}

function partsOf({ agent_id, status, kind, from }: Filters): RecordPart[] {
  return (status ?? [undefined]).map((one) => {
    const { also, ...part } = partOf({ agent_id, status: one, kind })
    return { ...part, ...alsoAll(also, ...since(from)) }
  })
}

const kindsOf = ({ kind }: Filters) => (kind ? [kind] : reviewKinds)

/** Selects the pending reviews of one agent: at most one of each kind. */
const pendingOfAgent = (agentId: string, filters: Filters): RecordPart[] =>
  kindsOf(filters).map((kind) => ({
    led: [
      ['agent_id', agentId],
      ['kind', kind],
    ],
    within: isPending,
    ...alsoAll(...since(filters.from)),
  }))

/** An id contains the time at which its row was created, so the condition on the id limits how much of an index is read. */
const since = (from: string | undefined): Condition[] =>
  from === undefined ? [] : [fragment`r.id >= ${lowestIdFrom(from)} and r.opened_at >= ${from}`]

function alsoAll(...conditions: (Condition | undefined)[]): Pick<RecordPart, 'also'> {
  const given = conditions.filter((one) => one !== undefined)
  return given.length > 0 ? { also: fragment.join(given, fragment` and `) } : {}
}

/**
 * Selects the pending reviews that the actor could resolve, if the actor sees their agents. For each kind and role there are several parts: the reviews that others or nobody requested, and those that the actor requested, which the
 * actor resolves only if nobody else could.
 */
function partsToDecide(actor: Member, roles: AssignedRole[], filters: Filters): RecordPart[] {
  return kindsOf(filters).flatMap((kind) =>
    roles.flatMap((role): RecordPart[] => {
      const led = [['kind', kind] as const, ['assigned_role', role] as const]
      const part = (which: { except: string } | { only: string }, condition?: Condition): RecordPart => ({
        led,
        within: isPending,
        groups: { by: 'last_resort_user_id', with: which },
        ...alsoAll(condition, ...since(filters.from)),
      })
      return [
        part({ except: actor.userId }),
        ...ownConditions(actor, role).map((condition) => part({ only: actor.userId }, condition)),
      ]
    }),
  )
}

/**
 * SQL conditions on a review `r` that the actor requested and that is assigned to `role`. The actor could resolve the review if
 * exactly one of them is true.
 *
 * The second condition is about an outcome that only an owner may choose (see `isForOwners`). It counts only the other owners.
 * Its first term does not depend on the review, so PostgreSQL evaluates it once.
 */
function ownConditions(actor: Member, role: AssignedRole): Condition[] {
  const isSole = isSoleResolver(actor, role)
  if (role === 'owner' || !isUnboundOwner(actor)) return [isSole]
  const others = fragment`(not ${hasNoOtherManager(actor)} or not ${isGrantedToNoOther(actor)})`
  return [isSole, fragment`${hasNoOtherOwner(actor)} and ${isForOwners(actor)} and ${others}`]
}

/**
 * SQL condition on a pending review `r` that is assigned to managers: the outcome `approved` is reserved for owners. This is the
 * case if an owner must resolve another review of the agent, or if the agent is in production and not approved.
 */
function isForOwners({ tenantId }: Member): Condition {
  const asked = (more: Condition) => fragment`exists (select from reviews o
    where o.tenant_id = ${tenantId} and o.status = 'pending' and o.assigned_role = 'owner'${more})`
  return fragment`(
    (${asked(fragment``)} and ${asked(fragment` and o.agent_id = r.agent_id and o.id <> r.id`)})
    or (r.environment_id = any(array(select e.id from environments e where e.tenant_id = ${tenantId} and e.is_production))
      and (select true from agents a join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
        where a.tenant_id = ${tenantId} and a.id = r.agent_id and e.is_production and a.lifecycle_status <> 'approved'
        limit 1) is true))`
}

/** SQL condition on a pending review `r` of an agent that the actor sees: the actor could resolve it with at least one outcome. */
function mayDecide(actor: Member, roles: AssignedRole[]): Condition {
  const ofRoles = roles.map((role) => {
    const own = ownConditions(actor, role).map((condition) => fragment`(${condition})`)
    return fragment`(r.assigned_role = ${role}
      and (r.last_resort_user_id <> ${actor.userId} or ${fragment.join(own, fragment` or `)}))`
  })
  return fragment`${isPending} and (${fragment.join(ofRoles, fragment` or `)})`
}
