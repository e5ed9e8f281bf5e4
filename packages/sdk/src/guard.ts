import { askEdge, type Decision, type Question } from './ask-edge.ts'
import { copyJson } from './json/copy-json.ts'
import { pause } from './pause.ts'
import { ApprovalRequired, EdgeUnavailable, ToolDenied } from './tool-errors.ts'

export interface GuardOptions<P extends unknown[]> {
  /** URL of the local edge; `http://127.0.0.1:8089` by default. */
  edgeUrl?: string
  /** The edge’s local token (`et_…`), which identifies the agent. */
  token?: string
  /**
   * Maps the parameters to the arguments that the policy checks. Optional if the only parameter is a plain object, or there is
   * none.
   */
  args?: (...parameters: P) => Record<string, unknown>
  /** What to do if a person must approve the call: `throw` (the default), or `wait` until it is approved or expires. */
  held?: 'throw' | 'wait'
  /**
   * Milliseconds between checks of a held call; 2,000 by default. An edge that has a stream from the control plane answers as soon as the
   * approval is resolved.
   */
  pollMs?: number
  /** Timeout of a decision in ms. */
  timeoutMs?: number
  /** Stops the wait. The call then throws the signal's reason. */
  signal?: AbortSignal
  /**
   * The agent's session, 1 to 128 characters: a text, or a function that returns the session of the current call. Recorded with
   * the decision.
   */
  sessionId?: CallerText
  /**
   * For whom the agent acts, 1 to 200 characters: a text, or a function that returns it for the current call. Recorded with the
   * decision. Nobody verifies it.
   */
  onBehalfOf?: CallerText
  /**
   * The token of the delegation under which the agent acts (`md_…`): a text, or a function that returns it for the current call. The edge verifies
   * it, and denies the call if the delegation does not allow it.
   */
  delegation?: CallerText
}

/** A text, or a function that is called once for each guarded call. `undefined` leaves the text out. */
export type CallerText = string | (() => string | undefined)

/** An edge waits at most this long for news of an approval. */
const longestWaitMs = 60_000
const defaultEdgeUrl = 'http://127.0.0.1:8089'
const toolPattern = /^fn:[A-Za-z0-9_.-]{1,64}\/[A-Za-z0-9_.-]{1,64}$/

/**
 * Wraps a function so that it runs only if the local edge lets the call pass. It does not run without a decision. A call copies its
 * parameters first. The edge decides the copy, and the function runs with the copy, or with the redacted arguments of the edge.
 * @param tool the tool name in policies, `fn:segment/segment`
 * @throws ToolDenied, ApprovalRequired or EdgeUnavailable from a guarded call, TypeError for a parameter that is not plain JSON data,
 * and any error of the function itself
 */
export function guard<P extends unknown[], R>(
  tool: string,
  fn: (...parameters: P) => R | Promise<R>,
  options: GuardOptions<P> = {},
): (...parameters: P) => Promise<R> {
  if (!toolPattern.test(tool)) throw new TypeError(`invalid tool name ${tool}; use a form such as fn:billing/refund`)
  const { edgeUrl = defaultEdgeUrl, token, args = soleObject, timeoutMs = 20_000, signal } = options
  // Arguments that `args` made cannot be turned back into parameters.
  const redacts = options.args === undefined
  return async (...parameters) => {
    const caller = {
      sessionId: callerText(options.sessionId),
      onBehalfOf: callerText(options.onBehalfOf),
      delegation: callerText(options.delegation),
    }
    const own = parameters.map((value, index) => textOf(value, nameOf(tool, parameters, index)))
    // Returns new copies of the parameters. So the callback `args` cannot change what the function receives.
    const copies = () => own.map((text) => (text === undefined ? undefined : JSON.parse(text))) as P
    const argsJson = textOf(args(...copies()), `the arguments of ${tool}`)
    if (!argsJson?.startsWith('{')) throw new TypeError(`the arguments of ${tool} must be an object`)
    const redacted = await untilPassed(
      { edgeUrl, token, tool, argsJson, redacts, ...caller, timeoutMs, signal },
      options,
    )
    return await fn(...(redacted === undefined ? copies() : ([redacted] as unknown as P)))
  }
}

function callerText(given: CallerText | undefined): string | undefined {
  return typeof given === 'function' ? given() : given
}

function textOf(value: unknown, name: string): string | undefined {
  return value === undefined ? undefined : JSON.stringify(copyJson(value, name))
}

function nameOf(tool: string, parameters: readonly unknown[], index: number): string {
  return parameters.length === 1 ? `the parameter of ${tool}` : `parameter ${index + 1} of ${tool}`
}

/** Resolves when the call may run, with the redacted arguments if there are any. @throws ToolDenied, ApprovalRequired or EdgeUnavailable otherwise */
async function untilPassed(
  question: Question,
  { held = 'throw', pollMs = 2_000, signal }: Pick<GuardOptions<never>, 'held' | 'pollMs' | 'signal'>,
): Promise<Record<string, unknown> | undefined> {
  const first = await askEdge(question)
  if (passes(question.tool, first)) return first.args
  const waiting = approvalOf(question.tool, first)
  if (held === 'throw') throw waiting
  const waitMs = Math.floor(Math.min(pollMs, longestWaitMs))
  const again = { ...question, approvalId: waiting.approvalId, waitMs, timeoutMs: question.timeoutMs + waitMs }
  while (Date.now() < waiting.expiresAt.getTime()) {
    const askedAt = performance.now()
    const next = await askAgain(again)
    if (next && passes(question.tool, next)) return next.args
    // The edge requires another approval, so the approval that this loop waits for is no longer valid.
    if (next && next.approval?.approvalId !== waiting.approvalId) break
    // The edge waited less, because it is of an earlier version or cannot be reached.
    await pause(Math.max(pollMs - (performance.now() - askedAt), 0), signal)
  }
  throw waiting
}

/**
 * Asks the edge again about a held call. Returns undefined if the edge is unreachable. The caller then tries again, because the
 * approval still exists after a restart of the edge.
 */
async function askAgain(question: Question): Promise<Decision | undefined> {
  try {
    return await askEdge(question)
  } catch (error) {
    if (error instanceof EdgeUnavailable) return undefined
    throw error
  }
}

/** True if the call may run, false if it is held. @throws ToolDenied */
function passes(tool: string, { verdict, enforced, reason, rule, decisionId, page }: Decision): boolean {
  if (verdict === 'allow' || !enforced) return true
  if (verdict === 'deny') throw new ToolDenied(tool, { reason, rule, decisionId, page })
  return false
}

function approvalOf(tool: string, { reason, rule, approval, page }: Decision): ApprovalRequired {
  if (!approval) throw new EdgeUnavailable(tool, 'the edge holds the call but names no approval')
  return new ApprovalRequired(tool, { reason, rule, page, ...approval })
}

function soleObject(...parameters: unknown[]): Record<string, unknown> {
  const [sole = {}] = parameters
  const plain = typeof sole === 'object' && sole !== null && !Array.isArray(sole)
  if (parameters.length > 1 || !plain) {
    throw new TypeError(
      'the only parameter must be a plain object; for other parameters, set the option `args` of `guard`',
    )
  }
  return sole as Record<string, unknown>
}
