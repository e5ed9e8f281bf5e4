import { type DecidingRule, EdgeUnavailable } from './tool-errors.ts'

/** The edge's decision about one call. */
export interface Decision {
  decisionId: string
  verdict: 'allow' | 'deny' | 'require_approval'
  /** Whether the edge enforces the decision. False in monitor mode, where the edge records its decision and stops no call. */
  enforced: boolean
  rule: DecidingRule | null
  reason: string
  approval: { approvalId: string; expiresAt: Date } | undefined
  /** The arguments to use in place of those of the question, because content rules redacted some. Only if the question has `redacts`. */
  args: Record<string, unknown> | undefined
  /** The address of the page about the decision, if the call is stopped and the edge knows the address of the dashboard. */
  page: string | undefined
}

export interface Question {
  edgeUrl: string
  token: string | undefined
  tool: string
  /** The call's arguments: the JSON text of an object. */
  argsJson: string
  /** True if the caller uses the `args` of the decision. Otherwise the edge denies a call whose arguments must be redacted. */
  redacts?: boolean | undefined
  approvalId?: string | undefined
  /**
   * How long the edge waits for the approval `approvalId` before it decides, in milliseconds. Edges of earlier versions do not wait.
   */
  waitMs?: number | undefined
  sessionId?: string | undefined
  onBehalfOf?: string | undefined
  delegation?: string | undefined
  timeoutMs: number
  signal: AbortSignal | undefined
}

/**
 * Asks the edge to decide a call.
 * @throws EdgeUnavailable if the edge gives no valid decision, and the signal's reason if aborted
 */
export async function askEdge(question: Question): Promise<Decision> {
  const { edgeUrl, token, tool, timeoutMs, signal } = question
  const timeout = AbortSignal.timeout(timeoutMs)
  let status: number
  let text: string
  try {
    const response = await fetch(`${edgeUrl.replace(/\/+$/, '')}/edge/v1/decide`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: bodyOf(question),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    const why = timeout.aborted ? `did not answer within ${timeoutMs} ms` : 'cannot be reached'
    throw new EdgeUnavailable(tool, `the edge at ${edgeUrl} ${why}${proxyHint(edgeUrl)}`, error)
  }
  if (status !== 200) {
    const said = `the edge responded with status ${status}${refusalIn(text)}`
    throw new EdgeUnavailable(tool, `${said}${proxyHint(edgeUrl)}`)
  }
  const decision = decisionIn(parsed(text))
  if (!decision) throw new EdgeUnavailable(tool, `the edge’s response is not a valid decision${proxyHint(edgeUrl)}`)
  return decision
}

/** Says what to set if Node sends requests to this machine to a proxy. Empty otherwise, as in browsers. */
function proxyHint(edgeUrl: string): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const { NODE_USE_ENV_PROXY, no_proxy, NO_PROXY } = process?.env ?? {}
  if (NODE_USE_ENV_PROXY !== '1' || !URL.canParse(edgeUrl)) return ''
  const { hostname } = new URL(edgeUrl)
  const direct = (no_proxy ?? NO_PROXY ?? '').split(/[\s,]+/)
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname) || direct.includes(hostname) || direct.includes('*'))
    return ''
  // Node compares the entries with the host of a URL, which has an IPv6 address in brackets.
  return '; NODE_USE_ENV_PROXY=1 also sends requests to this machine to a proxy, so set NO_PROXY=localhost,127.0.0.1,[::1]'
}

function bodyOf({ tool, argsJson, approvalId, waitMs, sessionId, onBehalfOf, delegation, redacts }: Question): string {
  const caller = { session_id: sessionId, on_behalf_of: onBehalfOf, delegation }
  const optional = { approval_id: approvalId, wait_ms: waitMs, ...caller }
  const rest = JSON.stringify({ ...optional, ...(redacts && { redacts }), mediation_point: 'sdk.guard' }).slice(1)
  return `{"tool":${JSON.stringify(tool)},"args":${argsJson},${rest}`
}

function refusalIn(text: string): string {
  const { error } = (parsed(text) ?? {}) as { error?: unknown }
  return typeof error === 'string' ? ` (${error})` : ''
}

/** Reads a decision from parsed JSON. Returns undefined if any required field is missing, so that an incomplete response never allows a call. */
export function decisionIn(value: unknown): Decision | undefined {
  const { decision_id, verdict, enforced, rule, reason, approval, args, page } = (value ?? {}) as Record<
    string,
    unknown
  >
  if (verdict !== 'allow' && verdict !== 'deny' && verdict !== 'require_approval') return undefined
  if (typeof decision_id !== 'string' || typeof enforced !== 'boolean') return undefined
  const held = approvalOf(approval)
  if (verdict === 'require_approval' && enforced && !held) return undefined
  return {
    decisionId: decision_id,
    verdict,
    enforced,
    rule: ruleOf(rule),
    reason: typeof reason === 'string' ? reason : '',
    approval: held,
    args: isPlainObject(args) ? args : undefined,
    page: typeof page === 'string' ? page : undefined,
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function ruleOf(value: unknown): DecidingRule | null {
  const { id, name } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' ? { id, name: typeof name === 'string' ? name : id } : null
}

function approvalOf(value: unknown): Decision['approval'] {
  const { approval_id, expires_at } = (value ?? {}) as Record<string, unknown>
  const expiresAt = new Date(typeof expires_at === 'string' ? expires_at : Number.NaN)
  if (typeof approval_id !== 'string' || Number.isNaN(expiresAt.getTime())) return undefined
  return { approvalId: approval_id, expiresAt }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
