import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { eventEndpoints } from '@mandate/contract/events'
import type { Member } from '../../../authz/actor.ts'
import { accessRefusal } from '../../../authz/declared-access.ts'
import { memberOf } from '../../../caller/authenticate.ts'
import { findActiveUsers, findLiveKeys } from '../../../caller/caller-queries.ts'
import type { Services } from '../../../services.ts'
import { findLiveSessions } from '../../../sessions/live-session.ts'

const endpoint: Endpoint = eventEndpoints.streamEvents

/**
 * Reads what callers of one tenant may do now. Returns null for a caller whose key, user or session has ended, or who may no longer call the
 * endpoint.
 */
export async function checkCallers(
  { db }: Services,
  tenantId: string,
  actors: ReadonlySet<Member>,
): Promise<Map<Member, Member | null>> {
  const now = new Date().toISOString()
  const people = [...actors].filter(({ key }) => key === null)
  const keyIds = [...new Set([...actors].flatMap(({ key }) => key?.id ?? []))]
  const sql = db.reader(tenantId)
  const [users, sessions, keys] = await Promise.all([
    people.length === 0 ? [] : findActiveUsers(sql, [...new Set(people.map(({ userId }) => userId))]),
    people.length === 0
      ? new Set<string>()
      : findLiveSessions(db.global, [...new Set(people.flatMap(({ sessionId }) => sessionId ?? []))], now),
    keyIds.length === 0 ? [] : findLiveKeys(sql, keyIds, now),
  ])
  const userById = new Map(users.map((user) => [user.user_id, user]))
  const keyById = new Map(keys.map((key) => [key.key_id, key]))
  const current = (actor: Member): Member | null => {
    if (actor.key) {
      const row = keyById.get(actor.key.id)
      if (!row) return null
      const { key_id: id, prefix, key_name: name, scopes, environment_id: environmentId } = row
      return memberOf('api_key', tenantId, row, { id, prefix, name, scopes, environmentId })
    }
    const { sessionId, tokenExpiresAt } = actor
    const row = userById.get(actor.userId)
    if (!row || row.account_id !== actor.accountId || sessionId === undefined || !sessions.has(sessionId)) return null
    return { ...memberOf('person', tenantId, row, null), sessionId, ...(tokenExpiresAt && { tokenExpiresAt }) }
  }
  return new Map(
    [...actors].map((actor) => {
      const checked = current(actor)
      return [actor, checked && !accessRefusal(endpoint, checked) ? checked : null]
    }),
  )
}
