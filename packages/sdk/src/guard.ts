import { askEdge, type Decision, type Question } from './ask-edge.ts'
import { copyJson } from './copy-json.ts'
import { pause } from './pause.ts'
import { ApprovalRequired, EdgeUnavailable, ToolDenied } from './tool-errors.ts'

export interface GuardOptions<P extends unknown[]> {
  /** The edge beside the agent; `http://127.0.0.1:8089` unless set. */
  edgeUrl?: string
  /** The edge’s own token (`et_…`) for this agent: it says which agent asks. */
  token?: string
  /** What the policy sees of the parameters. May be left out for a function of one plain object, or of none. */
  args?: (...parameters: P) => Record<string, unknown>
  /** What becomes of a call that a person must approve: `throw` (unless set), or `wait` until it is approved or expires. */
  held?: 'throw' | 'wait'
  /** How often a held call is asked about again. */
  pollMs?: number
  /** How long the edge may take over a decision. */
  timeoutMs?: number
  /** Ends the waiting; the call throws the signal's reason. */
  signal?: AbortSignal
}

const defaultEdgeUrl = 'http://127.0.0.1:8089'
const toolPattern = /^fn:[A-Za-z0-9_.-]{1,64}\/[A-Za-z0-9_.-]{1,64}$/

/**
 * The function, run only when the local edge lets the call pass. Without a decision it is not run. The parameters are copied when
 * the call is made: the copy is decided, and the function runs with the copy.
 * @param tool `fn:segment/segment`, as the policy names it
 * @throws ToolDenied, ApprovalRequired or EdgeUnavailable from the guarded call, and TypeError for a parameter that is no plain JSON
 * data; what the function throws comes through
 */
export function guard<P extends unknown[], R>(
  tool: string,
  fn: (...parameters: P) => R | Promise<R>,
  options: GuardOptions<P> = {},
): (...parameters: P) => Promise<R> {
  if (!toolPattern.test(tool)) throw new TypeError(`${tool} is no tool name such as fn:billing/refund`)
  const { edgeUrl = defaultEdgeUrl, token, args = soleObject, timeoutMs = 20_000, signal } = options
  return async (...parameters) => {
    const own = parameters.map((value, index) => textOf(value, nameOf(tool, parameters, index)))
    // Read from the text each time, so that what `args` does with its copy does not reach the function.
    const copies = () => own.map((text) => (text === undefined ? undefined : JSON.parse(text))) as P
    const argsJson = textOf(args(...copies()), `the arguments of ${tool}`)
    if (!argsJson?.startsWith('{')) throw new TypeError(`the arguments of ${tool} must be an object`)
    await untilPassed({ edgeUrl, token, tool, argsJson, timeoutMs, signal }, options)
    return await fn(...copies())
  }
}

function textOf(value: unknown, name: string): string | undefined {
  return value === undefined ? undefined : JSON.stringify(copyJson(value, name))
}

function nameOf(tool: string, parameters: readonly unknown[], index: number): string {
  return parameters.length === 1 ? `the parameter of ${tool}` : `parameter ${index + 1} of ${tool}`
}

/** Returns when the call may run; throws otherwise. */
async function untilPassed(
  question: Question,
  { held = 'throw', pollMs = 2_000, signal }: Pick<GuardOptions<never>, 'held' | 'pollMs' | 'signal'>,
): Promise<void> {
  const first = await askEdge(question)
  if (passes(question.tool, first)) return
  const waiting = approvalOf(question.tool, first)
  if (held === 'throw') throw waiting
  while (Date.now() < waiting.expiresAt.getTime()) {
    await pause(pollMs, signal)
    const next = await askAgain({ ...question, approvalId: waiting.approvalId })
    if (!next) continue
    if (passes(question.tool, next)) return
    // Another approval was opened in its place: the one that was waited for is over.
    if (next.approval?.approvalId !== waiting.approvalId) break
  }
  throw waiting
}

/** Undefined while the edge is away: an approval outlives its restart. */
async function askAgain(question: Question): Promise<Decision | undefined> {
  try {
    return await askEdge(question)
  } catch (error) {
    if (error instanceof EdgeUnavailable) return undefined
    throw error
  }
}

/** True when the call may run, false when it is held. @throws ToolDenied */
function passes(tool: string, { verdict, enforced, reason, rule, decisionId }: Decision): boolean {
  if (verdict === 'allow' || !enforced) return true
  if (verdict === 'deny') throw new ToolDenied(tool, { reason, rule, decisionId })
  return false
}

function approvalOf(tool: string, { reason, rule, approval }: Decision): ApprovalRequired {
  if (!approval) throw new EdgeUnavailable(tool, 'the edge holds it without naming an approval')
  return new ApprovalRequired(tool, { reason, rule, ...approval })
}

function soleObject(...parameters: unknown[]): Record<string, unknown> {
  const [sole = {}] = parameters
  const plain = typeof sole === 'object' && sole !== null && !Array.isArray(sole)
  if (parameters.length > 1 || !plain) throw new TypeError('say with `args` what the policy sees of these parameters')
  return sole as Record<string, unknown>
}
