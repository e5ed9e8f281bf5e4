import { type CallerClaims, validClaims } from '../../guard/caller-text.ts'
import { type Decision, type Guard, passes, type ToolCall } from '../../guard/guard.ts'
import { answerStoppedCall, isStateless } from '../messages/answer-stopped-call.ts'
import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject } from '../messages/json.ts'
import type { ListPages } from '../messages/list-pages.ts'
import { type Log, logDropped } from '../messages/log.ts'
import { clientNotifications, clientRequests, knownParams, removedRequests } from '../messages/methods.ts'
import { isObject } from '../messages/read-message.ts'
import { invalidParams, methodNotFound, rpcError } from '../messages/rpc-error.ts'
import { callsOf } from './calls-of.ts'

/**
 * The agent and the tool server that exchange messages. `guard` decides the agent's calls. `server` is the configured name of
 * the tool server.
 */
export interface Passage {
  readonly guard: Guard
  readonly server: string
  readonly log: Log
  /** Counts the pages of lists that the client requests. */
  readonly pages?: ListPages
  /**
   * Returns the names of the arguments that a tool declares, or null if the tool has no schema. `tool` is the tool's name in
   * policies. `call` contains the parameters of the tool call.
   */
  readonly declaredArgs?: (tool: string, call: JsonObject) => Promise<ReadonlySet<string> | null>
  /** Session id for the records of calls that do not have a session id of their own. */
  readonly sessionId?: string | undefined
}

/**
 * The decision about a message. If the message passes, `holds` returns whether the decision is still valid; check it right
 * before forwarding the message. If the message does not pass, send `answer` to the sender. `answer` is null if the sender
 * expects no answer.
 */
export type CheckResult = { passes: true; holds(): boolean } | { passes: false; answer: JsonObject | null }

/** Decides whether a message of the client may pass to the tool server. Messages with unknown methods may not pass. */
export async function checkMessage(passage: Passage, message: JsonObject, signal?: AbortSignal): Promise<CheckResult> {
  if (!isDecided(message)) return checkWithoutPolicy(passage, message)
  if (isStateless(message.params) && removedRequests.has(String(message.method)))
    return stop(message, rpcError(message.id, methodNotFound, 'Method not found'))
  const found = callsOf(passage.server, message)
  if (!found.ok) return stop(message, rpcError(message.id, invalidParams, found.error))
  // A subscription that names no resources contains no call for the policy to decide. It passes unless the edge is closed
  // (denies every call of the agent).
  if (found.calls.length === 0) return passWhileOpen(passage, message)
  const params = isObject(message.params) ? message.params : {}
  const decisions: Decision[] = []
  for (const call of found.calls) {
    const named = { ...namedApproval(params), ...claimsIn(params, passage.sessionId) }
    const more = { ...declaredArgsOf(passage, message, call), ...named, ...(signal && { signal }) }
    const decision = await decide(passage, { ...call, ...more })
    if (!decision || !passes(decision)) return stop(message, answerStoppedCall(message, decision))
    decisions.push(decision)
  }
  return { passes: true, holds: () => decisions.every((decision) => passage.guard.holds(decision)) }
}

/** Whether the policy must decide if the message may pass. Such a message waits for its decision. */
export function isDecided({ method }: JsonObject): boolean {
  return typeof method === 'string' && clientRequests.get(method) === 'decided'
}

/**
 * Decides, without the policy, whether a message may pass. The result depends on the message's method and on whether the edge
 * is closed (denies every call of the agent).
 */
export function checkWithoutPolicy(passage: Passage, message: JsonObject): CheckResult {
  const { method, id } = message
  if (method === undefined) return checkAnswer(passage, message)
  if (id === undefined) return checkNotification(passage, message)
  const handling = clientRequests.get(String(method))
  if (handling === undefined) return stop(message, rpcError(id, methodNotFound, 'Method not found'))
  if (handling === 'always') return { passes: true, holds: () => true }
  if (handling === 'list') return checkList(passage, message)
  return passWhileOpen(passage, message)
}

function checkNotification(passage: Passage, message: JsonObject): CheckResult {
  const handling = clientNotifications.get(String(message.method))
  if (handling === 'always') return { passes: true, holds: () => true }
  if (handling === 'open') return passWhileOpen(passage, message)
  logDropped(passage, 'client', 'the method of the notification is unknown')
  return { passes: false, answer: null }
}

// An empty answer, such as the answer to a ping, may pass even while the edge is closed (denies every call of the agent). Any
// other answer carries information to the server.
function checkAnswer(passage: Passage, message: JsonObject): CheckResult {
  const { result } = message
  const isEmpty = isObject(result) && Object.keys(result).length === 0 && message.error === undefined
  return isEmpty ? { passes: true, holds: () => true } : passWhileOpen(passage, message)
}

function checkList(passage: Passage, message: JsonObject): CheckResult {
  const { method, params } = message
  const unknown = isObject(params) && Object.keys(params).find((key) => !knownParams[String(method)]?.has(key))
  if (typeof unknown === 'string') {
    return stop(message, rpcError(message.id, invalidParams, `Unknown parameter ${JSON.stringify(unknown)}`))
  }
  if (passage.pages?.ask(passage.server, message) === false) {
    return stop(message, rpcError(message.id, invalidParams, 'The list has too many pages'))
  }
  if (closingOf(passage.guard) !== null) return stop(message, emptyList(message))
  return { passes: true, holds: () => closingOf(passage.guard) === null }
}

const listNames: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}

function emptyList({ id, method, params }: JsonObject): JsonObject {
  const list = { [listNames[String(method)] as string]: [] }
  const stateless = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  return { jsonrpc: '2.0', id: id ?? null, result: isStateless(params) ? { ...stateless, ...list } : list }
}

function passWhileOpen({ guard }: Passage, message: JsonObject): CheckResult {
  const closing = closingOf(guard)
  if (closing === null) return { passes: true, holds: () => closingOf(guard) === null }
  return stop(message, message.method === undefined ? {} : closedError(message.id, closing))
}

// Only tools have a schema for their arguments. Prompts and resources have none.
function declaredArgsOf(
  { declaredArgs }: Passage,
  { method, params }: JsonObject,
  { tool }: ToolCall,
): Pick<ToolCall, 'declaredArgs'> {
  if (method !== 'tools/call' || !declaredArgs) return {}
  return { declaredArgs: () => declaredArgs(tool, isObject(params) ? params : {}) }
}

/** Returns the guard's decision, or null if the guard threw an error. Without a decision the call is stopped. */
async function decide({ guard, log }: Passage, call: ToolCall): Promise<Decision | null> {
  try {
    return await guard.decide(call)
  } catch (error) {
    if (!call.signal?.aborted)
      log.warn(
        { err: error, tool: call.tool },
        'the edge could not check a call against the policy, so it stopped the call',
      )
    return null
  }
}

function namedApproval(params: JsonObject): { approvalId?: string } {
  const meta = isObject(params._meta) ? params._meta : {}
  const approvalId = meta['mandate/approval_id']
  return typeof approvalId === 'string' ? { approvalId } : {}
}

/** The session and the person that a call names. Invalid values are left out, because no decision may depend on them. */
function claimsIn(params: JsonObject, sessionId: string | undefined): CallerClaims {
  const meta = isObject(params._meta) ? params._meta : {}
  const named = { sessionId: meta['mandate/session_id'], onBehalfOf: meta['mandate/on_behalf_of'] }
  return { ...(sessionId !== undefined && { sessionId }), ...validClaims(named) }
}

// In JSON-RPC, notifications and answers always stay unanswered. So such a message is dropped without an answer.
function stop(message: JsonObject, answer: JsonObject): CheckResult {
  return { passes: false, answer: message.id === undefined || message.method === undefined ? null : answer }
}
