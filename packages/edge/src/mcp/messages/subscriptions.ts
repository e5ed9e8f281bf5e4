import type { JsonObject, JsonValue } from './json.ts'
import { type FilteredList, filteredLists, listChanged } from './list-changes.ts'
import { isObject } from './read-message.ts'

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

/**
 * Maximum number of subscriptions that the edge tracks on one stream of a server. For further subscriptions, the edge does not
 * tell the client that a policy change affects its lists.
 */
export const maxSubscriptions = 1000
const longestId = 1000

type Id = string | number

/** Returns the id of the `subscriptions/listen` request that a message belongs to, or null if the message has no such id. */
export function subscriptionOf(message: JsonValue): Id | null {
  if (!isObject(message)) return null
  const body = message.params ?? message.result
  const id = isObject(body) && isObject(body._meta) ? body._meta[subscriptionKey] : null
  return (typeof id === 'string' && id.length <= longestId) || typeof id === 'number' ? id : null
}

/** Returns a copy of the message with another subscription id. */
export function withSubscription(message: JsonObject, id: JsonValue): JsonObject {
  const field = message.params === undefined ? 'result' : 'params'
  const body = message[field] as JsonObject
  return { ...message, [field]: { ...body, _meta: { ...(body._meta as JsonObject), [subscriptionKey]: id } } }
}

/**
 * Returns the subscription that the server confirms in this message: its id, and the lists whose changes it covers. Returns null if the message
 * confirms none.
 */
export function acknowledgedSubscription(message: JsonValue): { id: Id; lists: readonly FilteredList[] } | null {
  if (!isObject(message) || message.method !== 'notifications/subscriptions/acknowledged') return null
  const { params } = message
  const covered = isObject(params) && isObject(params.notifications) ? params.notifications : {}
  const id = subscriptionOf(message)
  return id === null ? null : { id, lists: filteredLists.filter((list) => covered[`${list}ListChanged`] === true) }
}

/** The parameters of a notification that belongs to a subscription and says nothing else. */
export const subscribedParams = (id: Id): JsonObject => ({ _meta: { [subscriptionKey]: id } })

/** Builds the notifications that the lists of a subscription changed. */
export function changesFor(id: Id, lists: readonly FilteredList[]): JsonObject[] {
  return lists.map((list) => ({ ...listChanged(list), params: subscribedParams(id) }))
}
