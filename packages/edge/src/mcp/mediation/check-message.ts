import { isUuid } from '@mandate/contract/fields/is-uuid'
import { type CallerClaims, validClaims } from '../../guard/caller-text.ts'
import { type Decision, type Guard, loggedTool, passes, type ToolCall } from '../../guard/guard.ts'
import type { SeenDefinition } from '../../guard/tool-definition.ts'
import { answerStoppedCall, isStateless } from '../messages/answer-stopped-call.ts'
import { withoutText } from '../messages/check-stateless-request.ts'
import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject } from '../messages/json.ts'
import type { DeclaredLists } from '../messages/list-changes.ts'
import type { ListPages } from '../messages/list-pages.ts'
import { type Log, logDropped } from '../messages/log.ts'
import { clientNotifications, clientRequests, knownParams, removedRequests } from '../messages/methods.ts'
import { isObject } from '../messages/read-message.ts'
import { invalidParams, methodNotFound, rpcError, stoppedByPolicy } from '../messages/rpc-error.ts'
import { callsOf } from './calls-of.ts'
import { delegationOf, withoutDelegation } from './delegation-of.ts'
import { inspectClientMessage } from './inspect-client-message.ts'
import { noteDecision } from './open-calls.ts'

/**
 * The agent and the tool server that exchange messages. `guard` decides the agent's calls. `server` is the configured name of
 * the tool server.
 */
export interface Passage {
  readonly guard: Guard
  readonly server: string
  /** The session with the server that gets the messages. Absent for what all requests of the client without a session share. */
  readonly source?: string | undefined
  readonly log: Log
  /** Whether the servers file gave the name of the tool server to another one, or to none. The edge then notes no tools of the old server. */
  readonly isReplaced?: () => boolean
  /** Counts the pages of lists that the client requests. */
  readonly pages?: ListPages
  /** Knows which lists the servers of the client have. */
  readonly lists?: DeclaredLists
  /**
   * Returns the names of the arguments that a tool declares, or null if the tool has no schema. `tool` is the tool's name in
   * policies. `call` contains the parameters of the tool call.
   */
  readonly declaredArgs?: (tool: string, call: JsonObject) => Promise<ReadonlySet<string> | null>
  /** Returns the hash of the definition that the server declared last for a tool. `tool` is the tool's name in policies. */
  readonly definition?: (tool: string) => SeenDefinition
  /** Asks the server for its tools. See `ToolCall.learn`. `call` contains the parameters of the tool call. */
  readonly learn?: (tool: string, call: JsonObject, isNeeded: boolean) => Promise<void>
  /** Returns why the server cannot be called, such as a missing credential. Null if it can. Absent if nothing can be missing. */
  readonly lacking?: (() => Promise<string | null>) | undefined
  /** False if the arguments must reach the server as the client sent them, because the server also gets them elsewhere. */
  readonly canRedact?: boolean
  /** The delegation of the HTTP request. A delegation in `_meta` must be the same. */
  readonly delegation?: string | undefined
  /** Session id for the records of calls that do not have a session id of their own. */
  readonly sessionId?: string | undefined
}

/**
 * The decision about a message. If the message passes, `holds` returns whether the decision is still valid; check it right
 * before forwarding the message. `message`, if it is set, is forwarded in its place: content rules redacted its arguments. If the message does not pass, send `answer` to the sender. `answer` is null if the sender
 * expects no answer. Call `withdraw` if a message that passes is not forwarded.
 */
export type CheckResult =
  | { passes: true; holds(): boolean; withdraw?(): void; message?: JsonObject }
  | { passes: false; answer: JsonObject | null }

/** Decides about a message until the decision holds under the rules in force. So the message may be sent at once, before any await. */
export async function checkUntilItHolds(passage: Passage, message: JsonObject): Promise<CheckResult> {
  let checked: CheckResult
  do checked = await checkMessage(passage, message)
  while (checked.passes && !checked.holds())
  return checked
}

/**
 * Decides whether a message of the client may pass to the tool server. Messages with unknown methods may not pass. The tool server does not get
 * the delegation.
 */
export async function checkMessage(passage: Passage, message: JsonObject, signal?: AbortSignal): Promise<CheckResult> {
  const onward = withoutDelegation(message)
  const delegation = delegationOf(message, passage.delegation)
  const result = await decideMessage({ ...passage, delegation }, onward, signal)
  return onward === message || !result.passes || result.message ? result : { ...result, message: onward }
}

async function decideMessage(passage: Passage, message: JsonObject, signal?: AbortSignal): Promise<CheckResult> {
  if (!isDecided(message)) return await checkUndecided(passage, message)
  if (isStateless(message.params) && removedRequests.has(String(message.method)))
    return stop(message, rpcError(message.id, methodNotFound, 'Method not found'))
  const found = callsOf(passage.server, message)
  if (!found.ok) return stop(message, rpcError(message.id, invalidParams, found.error))
  // A subscription that names no resources contains no call for the policy to decide. It passes unless the edge is closed
  // (denies every call of the agent).
  if (found.calls.length === 0) return await inspectPassing(passage, message, passWhileOpen(passage, message))
  const params = isObject(message.params) ? message.params : {}
  const decisions: Decision[] = []
  for (const call of found.calls) {
    const named = { ...namedApproval(params), ...claimsIn(params, passage.sessionId) }
    const { lacking, delegation } = passage
    const more = {
      ...definitionPartsOf(passage, message, call),
      ...named,
      tellsResult: true,
      ...contentOf(passage, message, withoutClaims(params, named)),
      ...(lacking && { lacking }),
      ...(delegation !== undefined && { delegation }),
      ...(signal && { signal }),
    }
    const decision = await decide(passage, { ...call, ...more })
    if (!decision || !passes(decision)) {
      withdraw(passage, decisions)
      return stop(message, answerStoppedCall(message, decision))
    }
    decisions.push(decision)
  }
  const [first] = decisions
  const onward = first?.args ? { ...message, params: { ...params, arguments: first.args as JsonObject } } : message
  if (first) noteDecision(onward, first)
  const holds = () => {
    const areValid = decisions.every((decision) => passage.guard.holds(decision))
    if (!areValid) withdraw(passage, decisions)
    return areValid
  }
  return {
    passes: true,
    holds,
    withdraw: () => withdraw(passage, decisions),
    ...(onward !== message && { message: onward }),
  }
}

/** Takes back the decisions on calls of a message that is not forwarded. */
function withdraw({ guard }: Passage, decisions: readonly Decision[]): void {
  for (const decision of decisions) guard.withdraw(decision)
}

/** Whether the arguments of the message can be replaced by others. A redacted URI would name another resource. */
function isNamedCall({ method }: JsonObject): boolean {
  return method === 'tools/call' || method === 'prompts/get'
}

/** What content rules need to know: what a request sends besides its arguments, and whether the arguments can be replaced. */
function contentOf({ canRedact }: Passage, message: JsonObject, params: JsonObject) {
  const { name, others } = namePartsOf(message, params)
  const unchangeable = [
    ...(Object.keys(others).length > 0 ? [others] : []),
    ...(message.id != null ? [message.id] : []),
  ]
  return {
    ...(canRedact !== false && isNamedCall(message) && { canRedact: true }),
    ...(unchangeable.length > 0 && { unchangeable }),
    ...(typeof name === 'string' && { givenName: name }),
  }
}

/** Splits the parameters of a request: the name of the tool or prompt, and all else but the arguments and the URI. */
function namePartsOf(message: JsonObject, params: JsonObject): { name?: unknown; others: JsonObject } {
  const { arguments: _, uri: _uri, ...rest } = params
  const { ref } = rest
  if (message.method === 'completion/complete' && isObject(ref) && ref.type === 'ref/prompt') {
    const { name, ...otherFields } = ref
    return { name, others: { ...rest, ref: otherFields } }
  }
  if (!isNamedCall(message)) return { others: rest }
  const { name, ...others } = rest
  return { name, others }
}

/** Whether the policy must decide if the message may pass. Such a message waits for its decision. */
export function isDecided({ method }: JsonObject): boolean {
  return typeof method === 'string' && clientRequests.get(method) === 'decided'
}

/** Decides whether a message may pass that the rules of the policy do not decide. Content rules inspect it. */
async function checkUndecided(passage: Passage, message: JsonObject): Promise<CheckResult> {
  return await inspectPassing(passage, message, checkWithoutPolicy(passage, message))
}

async function inspectPassing(passage: Passage, message: JsonObject, checked: CheckResult): Promise<CheckResult> {
  if (!checked.passes) return checked
  const { denied, holds } = await inspectClientMessage(passage, message)
  if (denied === null) return { ...checked, holds: () => checked.holds() && holds() }
  const error = rpcError(message.id, stoppedByPolicy, `Stopped by policy: ${denied}`)
  // The server waits for an answer to its request.
  if (message.method === undefined) return { passes: true, holds, message: error }
  if (message.id === undefined) logDropped(passage, 'client', denied)
  return stop(message, error)
}

/**
 * Decides, without the policy, whether a message may pass. The result depends on the message's method and on whether the edge
 * is closed (denies every call of the agent).
 */
function checkWithoutPolicy(passage: Passage, message: JsonObject): CheckResult {
  const { method, id } = message
  if (method === undefined) return checkAnswer(passage, message)
  if (id === undefined) return checkNotification(passage, message)
  const handling = clientRequests.get(String(method))
  if (handling === undefined) return stop(message, rpcError(id, methodNotFound, 'Method not found'))
  if (handling === 'always') return passWithoutTextWhileClosed(passage, message)
  if (handling === 'list') return checkList(passage, message)
  return passWhileOpen(passage, message)
}

function checkNotification(passage: Passage, message: JsonObject): CheckResult {
  const handling = clientNotifications.get(String(message.method))
  if (handling === 'always') return passWithoutTextWhileClosed(passage, message)
  if (handling === 'open') return passWhileOpen(passage, message)
  logDropped(passage, 'client', 'the method of the notification is unknown')
  return { passes: false, answer: null }
}

/** Passes a message that opens a session, and a ping. While the edge is closed, no text of the agent leaves with it. */
function passWithoutTextWhileClosed({ guard }: Passage, message: JsonObject): CheckResult {
  if (closingOf(guard) === null) return { passes: true, holds: () => closingOf(guard) === null }
  return { passes: true, holds: () => true, message: withoutText(message) }
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
  if (passage.pages?.ask(passage, message) === false) {
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

// Only tools have a definition with a schema for their arguments. Prompts and resources have none.
function definitionPartsOf(
  { declaredArgs, definition, learn }: Passage,
  { method, params }: JsonObject,
  { tool }: ToolCall,
): Pick<ToolCall, 'declaredArgs' | 'definition' | 'learn'> {
  if (method !== 'tools/call') return {}
  const call = isObject(params) ? params : {}
  return {
    ...(declaredArgs && { declaredArgs: () => declaredArgs(tool, call) }),
    ...(definition && { definition: () => definition(tool) }),
    ...(learn && { learn: (isNeeded) => learn(tool, call, isNeeded) }),
  }
}

/** Returns the guard's decision, or null if the guard threw an error. Without a decision the call is stopped. */
async function decide({ guard, log }: Passage, call: ToolCall): Promise<Decision | null> {
  try {
    return await guard.decide(call)
  } catch (error) {
    if (!call.signal?.aborted)
      log.warn(
        { err: error, tool: loggedTool(call) },
        'the edge could not check a call against the policy, so it stopped the call',
      )
    return null
  }
}

/** An id that is no UUID is left out, because the id becomes a part of an address of the control plane. */
function namedApproval(params: JsonObject): { approvalId?: string } {
  const meta = isObject(params._meta) ? params._meta : {}
  const approvalId = meta['mandate/approval_id']
  return typeof approvalId === 'string' && isUuid(approvalId) ? { approvalId } : {}
}

const sessionKey = 'mandate/session_id'
const onBehalfOfKey = 'mandate/on_behalf_of'

/** The session and the person that a call names. Invalid values are left out, because no decision may depend on them. */
function claimsIn(params: JsonObject, sessionId: string | undefined): CallerClaims & Pick<ToolCall, 'isSessionOfEdge'> {
  const meta = isObject(params._meta) ? params._meta : {}
  const named = { sessionId: meta[sessionKey], onBehalfOf: meta[onBehalfOfKey] }
  const claims = validClaims(named)
  return { ...(sessionId !== undefined && { sessionId, isSessionOfEdge: claims.sessionId === undefined }), ...claims }
}

/** Leaves out the claims of the call, because content rules inspect and count them with the call. */
function withoutClaims(params: JsonObject, { sessionId, onBehalfOf }: CallerClaims): JsonObject {
  if (!isObject(params._meta)) return params
  const claims = new Map<string, unknown>([
    [sessionKey, sessionId],
    [onBehalfOfKey, onBehalfOf],
  ])
  const others = Object.entries(params._meta).filter(([key, value]) => !claims.has(key) || claims.get(key) !== value)
  return { ...params, _meta: Object.fromEntries(others) }
}

// In JSON-RPC, notifications and answers always stay unanswered. So such a message is dropped without an answer.
function stop(message: JsonObject, answer: JsonObject): CheckResult {
  return { passes: false, answer: message.id === undefined || message.method === undefined ? null : answer }
}
