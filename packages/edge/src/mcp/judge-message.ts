import { type Decision, type Guard, passes } from '../guard/guard.ts'
import { answerStoppedCall } from './answer-stopped-call.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Log } from './log.ts'
import { fold, isObject } from './read-message.ts'
import { invalidParams, methodNotFound, rpcError } from './rpc-error.ts'
import { toolName } from './tool-name.ts'

/** Between which agent and which configured server a message passes. */
export interface Passage {
  readonly guard: Guard
  readonly server: string
  readonly log: Log
  /** The arguments that a tool of the server declares, by the name that policies know it by; `call` are the parameters of a call of it. */
  readonly declaredArgs?: (tool: string, call: JsonObject) => Promise<ReadonlySet<string> | null>
}

/**
 * What becomes of a message: sent on, if that holds until then, or stopped with what its sender is answered (null: it asked
 * for no answer).
 */
export type Judgement = { passes: true; holds(): boolean } | { passes: false; answer: JsonObject | null }

const goesOn: Judgement = { passes: true, holds: () => true }

/** Judges one message on its way to the tool server. Only tool calls are decided; all else goes on. */
export async function judgeMessage(passage: Passage, message: JsonObject, signal?: AbortSignal): Promise<Judgement> {
  const { method } = message
  if (typeof method !== 'string') return goesOn
  if (method === 'tools/call') return judgeCall(passage, message, signal)
  // A server that is lenient about case would take it for a call.
  if (fold(method) === 'tools/call') return stop(message, rpcError(message.id, methodNotFound, 'Method not found'))
  return goesOn
}

async function judgeCall(passage: Passage, message: JsonObject, signal?: AbortSignal): Promise<Judgement> {
  const params = isObject(message.params) ? message.params : {}
  const args = params.arguments ?? {}
  const tool = typeof params.name === 'string' ? toolName(passage.server, params.name) : null
  if (tool === null)
    return stop(message, rpcError(message.id, invalidParams, 'The tool has no name that a policy could tell'))
  if (!isObject(args)) return stop(message, rpcError(message.id, invalidParams, 'Arguments must be an object'))
  if (hasTwins(args)) {
    return stop(message, rpcError(message.id, invalidParams, 'Two arguments differ in case only'))
  }
  const { declaredArgs } = passage
  const declared = declaredArgs && { declaredArgs: () => declaredArgs(tool, params) }
  const decision = await decide(passage, {
    tool,
    args,
    ...declared,
    ...namedApproval(params),
    ...(signal && { signal }),
  })
  if (decision && passes(decision)) return { passes: true, holds: () => passage.guard.holds(decision) }
  return stop(message, answerStoppedCall(message, decision))
}

/** Null where the guard failed: the call is stopped. */
async function decide({ guard, log }: Passage, call: Parameters<Guard['decide']>[0]): Promise<Decision | null> {
  try {
    return await guard.decide(call)
  } catch (error) {
    if (!call.signal?.aborted) log.warn({ err: error, tool: call.tool }, 'a call could not be decided and was stopped')
    return null
  }
}

function namedApproval(params: JsonObject): { approvalId?: string } {
  const meta = isObject(params._meta) ? params._meta : {}
  const approvalId = meta['mandate/approval_id']
  return typeof approvalId === 'string' ? { approvalId } : {}
}

// The rules see "path"; a server that ignores case might take the "Path" beside it.
function hasTwins(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasTwins)
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return new Set(names.map(fold)).size < names.length || Object.values(value).some(hasTwins)
}

// JSON-RPC answers no notification: a call without an id is dropped.
function stop(message: JsonObject, answer: JsonObject): Judgement {
  return { passes: false, answer: message.id === undefined ? null : answer }
}
