import type { JsonObject, JsonValue } from '../messages/json.ts'
import { isObject } from '../messages/read-message.ts'

/** A value of a server that the client sends back as it is has no white space, and is not longer. */
const opaque = /^[\x21-\x7e]{1,8192}$/

/** Why an answer is withheld if such a value has another form and must be redacted. */
export const notOpaque = 'content rules: a cursor, a state or the id of a task matches, and cannot be redacted'

/**
 * Puts back the values that the client must send back as they are: the cursor of a list, the state of a request that needs input, and the id of a
 * task. `request` is what the server answers. Returns null if such a value was redacted and has the form of a text.
 */
export function keepOpaque(before: JsonObject, after: JsonObject, request: JsonObject | undefined): JsonObject | null {
  const { method, params } = request ?? {}
  const isOfTask = String(method).startsWith('tasks/') || (isObject(params) && isObject(params.task))
  const names = [
    ...(String(method).endsWith('/list') ? ['nextCursor'] : []),
    ...(before.resultType === 'input_required' ? ['requestState'] : []),
    ...(isOfTask ? ['taskId'] : []),
  ]
  const kept = keepFields(before, after, names)
  if (kept === null || !isOfTask) return kept
  const task = keepIdOfTask(before.task, kept.task)
  const tasks = Array.isArray(before.tasks) && Array.isArray(kept.tasks) ? kept.tasks : []
  const listed = tasks.map((one, at) => keepIdOfTask((before.tasks as JsonValue[])[at], one))
  if (task === null || listed.includes(null)) return null
  return { ...kept, ...(task !== undefined && { task }), ...(listed.length > 0 && { tasks: listed as JsonValue[] }) }
}

/** Returns null if the id cannot be kept. */
function keepIdOfTask(before: JsonValue | undefined, after: JsonValue | undefined): JsonValue | undefined {
  return isObject(before) && isObject(after) ? keepFields(before, after, ['taskId']) : after
}

function keepFields(before: JsonObject, after: JsonObject, names: readonly string[]): JsonObject | null {
  const changed = names.filter((name) => typeof before[name] === 'string' && before[name] !== after[name])
  if (changed.some((name) => !opaque.test(String(before[name])))) return null
  return { ...after, ...Object.fromEntries(changed.map((name) => [name, before[name] as JsonValue])) }
}
