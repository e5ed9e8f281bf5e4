import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './read-message.ts'

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

/**
 * Maximum number of subscriptions that the edge tracks on one stream of a server. For further subscriptions, the edge does not
 * tell the client that a policy change affects its list of tools.
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
 * Returns the id of the subscription that the server confirms in this message, if the subscription covers changes of the tool
 * list. Otherwise returns null.
 */
export function acknowledgedSubscription(message: JsonValue): Id | null {
  if (!isObject(message) || message.method !== 'notifications/subscriptions/acknowledged') return null
  const { params } = message
  const tells = isObject(params) && isObject(params.notifications) && params.notifications.toolsListChanged === true
  return tells ? subscriptionOf(message) : null
}

/** Builds the notification that the list of tools changed, for one subscription. */
export function listChangedFor(id: Id): JsonObject {
  return { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { [subscriptionKey]: id } } }
}
