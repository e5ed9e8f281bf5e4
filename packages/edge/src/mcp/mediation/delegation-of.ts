import { sameDelegation } from '../../delegations/same-delegation.ts'
import type { JsonObject } from '../messages/json.ts'
import { isObject } from '../messages/read-message.ts'

const key = 'mandate/delegation'

/** Returns the delegation in `_meta` of a message, or that of the HTTP request. A value that is not a text denies the call. */
export function delegationOf({ params }: JsonObject, ofRequest: string | undefined): string | undefined {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {}
  const named = meta[key]
  return sameDelegation(named === undefined || typeof named === 'string' ? named : '', ofRequest)
}

/** Returns the message without the delegation in its `_meta`, which a tool server must not get. Returns the message itself if it has none. */
export function withoutDelegation(message: JsonObject): JsonObject {
  const { params } = message
  if (!isObject(params) || !isObject(params._meta) || !Object.hasOwn(params._meta, key)) return message
  const { [key]: _delegation, ...meta } = params._meta
  return { ...message, params: { ...params, _meta: meta } }
}
