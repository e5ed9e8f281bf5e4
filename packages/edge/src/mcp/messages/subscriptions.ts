import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './read-message.ts'

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

/** Subscriptions that one stream of a server is followed in; of more, clients are told what the server itself tells. */
export const maxSubscriptions = 1000
const longestId = 1000

type Id = string | number

/** The id of the `subscriptions/listen` request that a notification or an answer belongs to; null where it names none. */
export function subscriptionOf(message: JsonValue): Id | null {
  if (!isObject(message)) return null
  const body = message.params ?? message.result
  const id = isObject(body) && isObject(body._meta) ? body._meta[subscriptionKey] : null
  return (typeof id === 'string' && id.length <= longestId) || typeof id === 'number' ? id : null
}

/** The same message, said to belong to another subscription. */
export function withSubscription(message: JsonObject, id: JsonValue): JsonObject {
  const field = message.params === undefined ? 'result' : 'params'
  const body = message[field] as JsonObject
  return { ...message, [field]: { ...body, _meta: { ...(body._meta as JsonObject), [subscriptionKey]: id } } }
}

/** The subscription that the server here agrees to tell of changed tools; null where the message says no such thing. */
export function acknowledgedSubscription(message: JsonValue): Id | null {
  if (!isObject(message) || message.method !== 'notifications/subscriptions/acknowledged') return null
  const { params } = message
  const tells = isObject(params) && isObject(params.notifications) && params.notifications.toolsListChanged === true
  return tells ? subscriptionOf(message) : null
}

/** Tells one subscription that its list of tools changed. */
export function listChangedFor(id: Id): JsonObject {
  return { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { [subscriptionKey]: id } } }
}
