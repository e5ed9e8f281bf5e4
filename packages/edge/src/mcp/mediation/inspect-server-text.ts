import type { CheckedResult, Decision } from '../../guard/guard.ts'
import { noNumbers, type WrittenNumbers, writeJson } from '../../json/written-numbers.ts'
import { isStateless } from '../messages/answer-stopped-call.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { listChangedEnd } from '../messages/list-changes.ts'
import { logDropped } from '../messages/log.ts'
import { isObject } from '../messages/read-message.ts'
import { rpcError, stoppedByPolicy } from '../messages/rpc-error.ts'
import type { Passage } from './check-message.ts'
import { keepOpaque, notOpaque } from './opaque-values.ts'
import type { OpenCall, OpenCalls } from './open-calls.ts'
import type { ServerText } from './pass-server-text.ts'

/**
 * Gives the labels of the called tools to the agent's session, and applies the content rules to messages of a tool server that may pass
 * otherwise. Returns the same object if nothing changes. The answer is synchronous if no content rules look at results.
 */
export function inspectServerText<T extends ServerText | null>(
  passed: T,
  passage: Passage,
  calls: OpenCalls,
): T | Promise<T> {
  if (passed === null) return passed
  const labels = new TextLabels(passage, calls)
  if (!passage.guard.inspectsResults()) {
    return join(
      passed,
      passed.messages.map((message) => label(message, passage, calls, labels).inspected),
    ) as T
  }
  return inspectAll(passed, passage, calls, labels) as Promise<T>
}

async function inspectAll(
  passed: ServerText,
  passage: Passage,
  calls: OpenCalls,
  labels: TextLabels,
): Promise<ServerText> {
  // All messages get their labels before the first await.
  const labelled = passed.messages.map((message) => ({ message, ...label(message, passage, calls, labels) }))
  const mayPass = labelled.flatMap(({ message, inspected }) => (inspected.message === message ? [message] : []))
  const checkParams = checkerOfParams(mayPass, passage, calls.newest, passed.numbers)
  const inspected = labelled.map((one) => inspectMessage(one, passage, calls.newest, passed, checkParams))
  return join(passed, await Promise.all(inspected))
}

type CheckParams = (message: JsonObject) => Promise<CheckedResult>

/**
 * Returns a function that applies content rules to the parameters of a message. The notifications of a batch are checked together, because what is
 * found in them makes one record for the whole text.
 */
function checkerOfParams(
  messages: readonly JsonObject[],
  passage: Passage,
  newest: Decision | null,
  numbers: WrittenNumbers,
): CheckParams {
  const told = messages.filter(
    ({ method, id, params }) => method !== undefined && id === undefined && params !== undefined,
  )
  const params = told.map((message) => message.params as JsonValue)
  const together = told.length > 1 ? checkText(passage, newest, params, numbers) : null
  return async (message) => {
    const index = told.indexOf(message)
    if (together === null || index < 0) return await checkText(passage, newest, message.params, numbers)
    const checked = await together
    return checked.denied === null ? { denied: null, value: (checked.value as JsonValue[])[index] } : checked
  }
}

/** Gives the labels of texts that belong to no one call, once for all messages of a batch. A batch may have very many messages. */
class TextLabels {
  private readonly passage: Passage
  private readonly calls: OpenCalls
  /** Why texts must not pass, by whether they may belong to calls before the edge started. */
  private readonly faults = new Map<boolean, string | null>()

  constructor(passage: Passage, calls: OpenCalls) {
    this.passage = passage
    this.calls = calls
  }

  /**
   * Returns why the text must not pass, or null if it may pass. `isOfTask` is true for a text about tasks. A task may be of a call that another
   * edge sent, or of one that was sent long ago.
   */
  give(isOfTask: boolean): string | null {
    const mayBeEarlier = isOfTask || this.calls.mayBeEarlier
    const known = this.faults.get(mayBeEarlier)
    if (known !== undefined) return known
    const fault = this.passage.guard.noteText(this.passage.server, mayBeEarlier)
    this.faults.set(mayBeEarlier, fault)
    return fault
  }
}

function join(passed: ServerText, inspected: readonly Inspected[]): ServerText {
  const { numbers, wasClosed } = passed
  if (inspected.every(({ message }, index) => message === passed.messages[index])) return passed
  const messages = inspected.flatMap(({ message }) => (message ? [message] : []))
  const replies = [...passed.replies, ...inspected.flatMap(({ reply }) => (reply ? [reply] : []))]
  if (messages.length === 0) return { text: null, messages, replies, numbers, wasClosed }
  const isBatch = passed.text?.trimStart().startsWith('[') === true
  return { text: writeJson(isBatch ? messages : messages[0], numbers), messages, replies, numbers, wasClosed }
}

/** What becomes of a message. `message` is null if the client must not get it. `reply` is sent to the server. */
interface Inspected {
  readonly message: JsonObject | null
  readonly reply?: JsonObject
}

/** A message after its labels are with the session, and the request that it answers. */
interface Labelled {
  readonly inspected: Inspected
  readonly call: OpenCall | null
}

/** Gives the labels of the tool to the session. The message is replaced if the labels cannot be written. */
function label(message: JsonObject, passage: Passage, calls: OpenCalls, labels: TextLabels): Labelled {
  const isAnswer = message.method === undefined
  const call = isAnswer ? calls.take(message) : null
  if (isAnswer && call === null && !calls.mayPassUnknown(message)) {
    logDropped(passage, 'server', 'it answers no open request')
    return { inspected: { message: null }, call }
  }
  const fault = labelsFault(message, passage, labels, call)
  if (fault === null) return { inspected: { message }, call }
  const decision = call?.decision ?? null
  return { inspected: isAnswer ? { message: withheld(message, call, decision, fault) } : { message: null }, call }
}

function labelsFault(message: JsonObject, { guard }: Passage, labels: TextLabels, call: OpenCall | null) {
  if (call?.decision) return guard.noteResult(call.decision)
  const isText = call ? !isDeclaration(message, call) : message.method === undefined || hasText(message)
  return isText ? labels.give(taskMethod.test(String(call?.request.method ?? message.method))) : null
}

const taskMethod = /^(?:notifications\/)?tasks(?:\/|$)/

/** Fields of a list that are no texts: the place of the next page, how long the answer may be kept, and its kind. */
const ofList: ReadonlySet<string> = new Set(['nextCursor', 'ttlMs', 'cacheScope', 'resultType'])

/** Whether an answer has only what the request asked the server to declare. An error, and any other field, may be a text of a tool. */
function isDeclaration({ result }: JsonObject, call: OpenCall): boolean {
  if (!declared.has(String(call.request.method)) || !isObject(result)) return false
  const others = inspectedPart(result, call) as JsonObject
  return Object.keys(others).every((name) => ofList.has(name))
}

/** Whether a message that is no answer can carry text of a tool. */
const hasText = ({ method, params }: JsonObject) => params !== undefined && !String(method).endsWith(listChangedEnd)

async function inspectMessage(
  { message, inspected, call }: Labelled & { readonly message: JsonObject },
  passage: Passage,
  newest: Decision | null,
  text: ServerText,
  checkParams: CheckParams,
): Promise<Inspected> {
  if (inspected.message !== message) return inspected
  if (message.method === undefined) return await inspectAnswer(message, passage, call, newest, text)
  const checked = (await checkId(message, passage, newest)) ?? (await checkParams(message))
  if (checked.denied === null) {
    return { message: checked.value === message.params ? message : { ...message, params: checked.value as JsonValue } }
  }
  logDropped(passage, 'server', checked.denied)
  if (message.id === undefined) return { message: null }
  return { message: null, reply: rpcError(message.id, stoppedByPolicy, `Stopped by policy: ${checked.denied}`) }
}

/** Applies content rules to the id of a request of the server. Null if the id may pass. An id cannot be redacted, because the server compares it. */
async function checkId({ id }: JsonObject, passage: Passage, newest: Decision | null): Promise<CheckedResult | null> {
  if (id == null) return null
  const checked = await checkText(passage, newest, id, noNumbers)
  if (checked.denied !== null) return checked
  return checked.value === id
    ? null
    : { denied: 'content rules: the id of the request matches, and cannot be redacted' }
}

async function inspectAnswer(
  message: JsonObject,
  passage: Passage,
  call: OpenCall | null,
  newest: Decision | null,
  { numbers, wasClosed }: ServerText,
): Promise<Inspected> {
  const decision = call?.decision ?? newest
  let onward = message
  for (const part of ['result', 'error'] as const) {
    const whole = message[part]
    const value = part === 'result' ? inspectedPart(whole, call) : whole
    const checked = await checkText(passage, decision, value, numbers, wasClosed)
    if (checked.denied !== null) return { message: withheld(message, call, decision, checked.denied) }
    if (checked.value === value) continue
    const redacted = checked.value as JsonValue
    const isResult = part === 'result' && isObject(value) && isObject(redacted)
    const changed = isResult ? keepOpaque(value, redacted, call?.request) : redacted
    if (changed === null) return { message: withheld(message, call, decision, notOpaque) }
    onward = { ...onward, [part]: isObject(whole) && isObject(changed) ? { ...whole, ...changed } : changed }
  }
  return { message: onward }
}

/** Applies content rules to a value that a tool server sent. `numbers` and `wasClosed` are those of the text that has the value. */
export async function checkText(
  passage: Passage,
  decision: Decision | null,
  value: JsonValue | undefined,
  numbers: WrittenNumbers,
  wasClosed = false,
): Promise<CheckedResult> {
  if (value === undefined) return { denied: null, value }
  try {
    return await passage.guard.checkResult(decision, value, numbers, wasClosed)
  } catch (error) {
    passage.log.warn(
      { err: error, server: passage.server },
      'the edge could not apply the content rules to an answer of a tool server, so it withholds the answer',
    )
    return { denied: 'the edge could not apply the content rules' }
  }
}

const opening = ['protocolVersion', 'supportedVersions', 'capabilities', 'serverInfo', 'instructions']

/** For each request that asks what a server declares, the fields of its result that have it. They are not results of calls. */
const declared: ReadonlyMap<string, readonly string[]> = new Map([
  ['initialize', opening],
  ['server/discover', opening],
  ['tools/list', ['tools']],
  ['resources/list', ['resources']],
  ['resources/templates/list', ['resourceTemplates']],
  ['prompts/list', ['prompts']],
])

/**
 * Leaves out what a server declares, if the request asked for it. The fields of an answer alone do not tell, because a server can add a field to
 * any answer.
 */
function inspectedPart(result: JsonValue | undefined, call: OpenCall | null): JsonValue | undefined {
  const names = declared.get(String(call?.request.method))
  if (!names || !isObject(result)) return result
  const isDeclared = (name: string) => names.includes(name) && (names === opening || Array.isArray(result[name]))
  return Object.fromEntries(Object.entries(result).filter(([name]) => !isDeclared(name)))
}

/** Builds the answer that the client gets in place of one that must not pass. */
function withheld(message: JsonObject, call: OpenCall | null, decision: Decision | null, reason: string): JsonObject {
  const params = isObject(call?.request.params) ? call.request.params : {}
  if (call?.request.method !== 'tools/call' || isObject(params.task) || !('result' in message)) {
    return withheldText(message.id, decision, reason)
  }
  const { text, meta } = explain(decision, reason)
  const result: JsonObject = { content: [{ type: 'text', text }], isError: true, _meta: meta }
  return {
    jsonrpc: '2.0',
    id: message.id ?? null,
    result: isStateless(params) ? { resultType: 'complete', ...result } : result,
  }
}

/** Builds the error that the client gets in place of a text that must not pass. */
export function withheldText(id: JsonValue | undefined, decision: Decision | null, reason: string): JsonObject {
  const { text, meta } = explain(decision, reason)
  return rpcError(id, stoppedByPolicy, text, meta)
}

function explain(decision: Decision | null, reason: string): { text: string; meta: JsonObject } {
  const id = decision?.decisionId ?? null
  const text = `Withheld by policy. The tool server answered, and the answer must not pass: ${reason}.${id ? ` Decision ${id}.` : ''}`
  return { text, meta: { 'mandate/decision': { decision_id: id, verdict: 'deny', reason } } }
}
