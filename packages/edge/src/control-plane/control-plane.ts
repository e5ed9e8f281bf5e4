import { connectionFault } from '../http-address.ts'

/** Thrown if the control plane is unreachable or cannot answer now. The caller may try the request again. */
export class ControlPlaneAway extends Error {
  override readonly name = 'ControlPlaneAway'
  /** How long the control plane asked to wait (`Retry-After`), in milliseconds. 0 if it did not ask. */
  readonly retryAfterMs: number
  /** The status of the response. Null if the control plane did not answer. */
  readonly status: number | null

  constructor(message: string, retryAfterMs = 0, status: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.status = status
  }
}

/** Thrown if the control plane refused the request. `status` is the 4xx status. */
export class ControlPlaneRefused extends Error {
  override readonly name = 'ControlPlaneRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Answer {
  status: number
  body: unknown
}

export interface Asked {
  method?: 'GET' | 'POST'
  path: string
  body?: unknown
  ifNoneMatch?: string | undefined
  timeoutMs?: number
  signal?: AbortSignal | undefined
}

/**
 * Calls the control plane with the credential of the edge. Does not follow redirects, so that the credential is never sent to
 * another address.
 */
export interface ControlPlane {
  /** Resolves if the status is 2xx or 304. @throws ControlPlaneAway, ControlPlaneRefused, or the reason of the signal if it is aborted */
  ask(asked: Asked): Promise<Answer>
}

const usualTimeoutMs = 10_000
const longestAnswerBytes = 8 * 1_048_576

const longestQuietMs = 120_000

/** After a 429, all parts of the edge wait until the time in `Retry-After` before they send anything. */
export class QuietTime {
  private readonly now: () => number
  private untilMs = Number.NEGATIVE_INFINITY

  /** @param now a clock in milliseconds that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  begin(ms: number): void {
    this.untilMs = this.now() + ms
  }

  /** @throws ControlPlaneAway until the time is over */
  check(): void {
    const quietMs = this.untilMs - this.now()
    if (quietMs > 0)
      throw new ControlPlaneAway(`the control plane asked to wait ${Math.ceil(quietMs / 1000)} s more`, quietMs)
  }
}

/**
 * @param onKeyRefused called when the control plane answers any request with 401
 */
export function controlPlaneAt(
  base: string,
  key: string,
  quiet = new QuietTime(),
  onKeyRefused: (error: ControlPlaneRefused) => void = () => {},
): ControlPlane {
  return {
    async ask({ method = 'GET', path, body, ifNoneMatch, timeoutMs = usualTimeoutMs, signal }) {
      quiet.check()
      const limit = AbortSignal.timeout(timeoutMs)
      const asked: RequestInit = {
        method,
        redirect: 'error',
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      try {
        const response = await fetch(`${base}${path}`, asked)
        const retryAfterMs = retryAfterMsOf(response)
        if (response.status === 429) quiet.begin(retryAfterMs)
        return settle(response.status, parsed(await textOf(response)), retryAfterMs)
      } catch (error) {
        if (error instanceof ControlPlaneRefused && error.status === 401) onKeyRefused(error)
        if (error instanceof ControlPlaneRefused || error instanceof ControlPlaneAway) throw error
        signal?.throwIfAborted()
        throw new ControlPlaneAway(limit.aborted ? `no answer within ${timeoutMs} ms` : connectionFault(error))
      }
    },
  }
}

/** Ends requests with ControlPlaneAway when a signal aborts. `stopping` returns the signal, or undefined if requests go on. */
export function untilStopped(plane: ControlPlane, stopping: () => AbortSignal | undefined): ControlPlane {
  return {
    async ask(asked) {
      const signal = stopping()
      if (signal === undefined) return await plane.ask(asked)
      const signals = [signal, ...(asked.signal ? [asked.signal] : [])]
      try {
        return await plane.ask({ ...asked, signal: AbortSignal.any(signals) })
      } catch (error) {
        if (signal.aborted && asked.signal?.aborted !== true) throw new ControlPlaneAway('the edge is stopping')
        throw error
      }
    },
  }
}

/** Reads `Retry-After`, in seconds or as a date. Returns the milliseconds from now, up to a limit. Returns 0 if the header is absent. */
export function retryAfterMsOf({ headers }: Pick<Response, 'headers'>): number {
  const retryAfter = headers.get('retry-after')
  const asked = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Date.parse(retryAfter ?? '') - Date.now()
  return Math.min(Math.max(asked, 0) || 0, longestQuietMs)
}

function settle(status: number, body: unknown, retryAfterMs: number): Answer {
  if ((status >= 200 && status < 300) || status === 304) return { status, body }
  const text = (body as { error?: unknown } | undefined)?.error
  const said = `the control plane answered ${status}${typeof text === 'string' ? `: ${text}` : ''}`
  if (status < 400 || status >= 500 || status === 408 || status === 429)
    throw new ControlPlaneAway(said, retryAfterMs, status)
  throw new ControlPlaneRefused(status, said)
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > longestAnswerBytes) throw new ControlPlaneAway(`an answer of over ${longestAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new ControlPlaneAway('an answer that is not JSON')
  }
}
