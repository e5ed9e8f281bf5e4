import type { Credential } from './credential.ts'
import { MandateError } from './mandate-error.ts'
import { pause } from './pause.ts'
import type { PlainFetch, PlainResponse } from './plain-fetch.ts'
import { type RetryOptions, retryDelay } from './retry.ts'

export interface Transport<R extends PlainResponse = PlainResponse> {
  credential: Credential | undefined
  fetch: PlainFetch<R>
  retry: RetryOptions
  onRetry: ((notice: RetryNotice) => void) | undefined
}

/** Describes a failed attempt. Passed to `onRetry` before each wait for a retry. */
export interface RetryNotice {
  /** 0 if no response arrived. */
  status: number
  waitMs: number
  /** Number of attempts so far; 1 before the first retry. */
  attempt: number
}

export interface Outgoing {
  url: string
  method: string
  headers: Record<string, string>
  body: string | undefined
  repeatable: boolean
  /** Timeout of each attempt in ms, including reading the body; undefined for no timeout. */
  timeoutMs: number | undefined
  signal: AbortSignal | undefined
  /** Whether the browser sends and stores cookies. */
  withCookies?: boolean | undefined
}

/**
 * Sends a request, with retries. Returns the last response, also if its status is an error.
 * @throws MandateError with status 0 if no response arrives
 * @throws the signal's reason if the signal aborts the request
 */
export async function send<R extends PlainResponse>(transport: Transport<R>, outgoing: Outgoing): Promise<R> {
  const { credential, onRetry, retry } = transport
  let token = await credential?.token()
  let renewed = false
  for (let attempt = 0; ; attempt++) {
    const response = await attemptOnce(transport, outgoing, token)
    const { status } = response
    if (status === 401 && token !== undefined && !renewed && isJson(response)) {
      renewed = true
      const next = await credential?.renew?.(token)
      if (next !== undefined) {
        await discard(response)
        token = next
        attempt--
        continue
      }
    }
    // Not `instanceof Response`, because Node would load its `fetch` for it.
    const retryAfter = response instanceof MandateError ? null : response.headers.get('retry-after')
    const failed = { status, attempt, retryAfter, repeatable: outgoing.repeatable }
    const waitMs = retryDelay(failed, retry, Math.random(), Date.now())
    if (waitMs === undefined) {
      if (response instanceof MandateError) throw response
      return response
    }
    await discard(response)
    onRetry?.({ status, waitMs, attempt: attempt + 1 })
    await pause(waitMs, outgoing.signal)
  }
}

/** False for a page, which comes from a proxy. The proxy would refuse a new token too. */
const isJson = (response: PlainResponse | MandateError) =>
  !(response instanceof MandateError) && response.headers.get('content-type')?.includes('json') === true

async function attemptOnce<R extends PlainResponse>(
  { fetch }: Transport<R>,
  { url, method, headers, body, timeoutMs, signal, withCookies = false }: Outgoing,
  token: string | undefined,
): Promise<R | MandateError> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signals = [signal, timeout].filter((one) => one !== undefined)
  try {
    return await fetch(url, {
      method,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      // A redirect could send the credential to another server.
      redirect: 'error',
      // Without `keepalive`, a page that closes now could lose the cookie of the answer.
      ...(withCookies && { credentials: 'include', keepalive: true }),
      ...(body !== undefined && { body }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    return noAnswer(error, url, timeout?.aborted ? timeoutMs : undefined)
  }
}

/** The error for a request without a response, or with a timeout. */
export function noAnswer(error: unknown, url: string, timeoutMs: number | undefined): MandateError {
  const { origin } = new URL(url)
  if (timeoutMs !== undefined) {
    return new MandateError(`${origin} did not answer within ${timeoutMs} ms`, {
      status: 0,
      code: 'timeout',
      cause: error,
    })
  }
  const why = connectionFault(error)
  return new MandateError(`${origin} cannot be reached (${why})`, { status: 0, code: 'unreachable', cause: error })
}

/** Returns the code of Node's error, or the status with which a proxy refused to connect. One of the causes of the error has it. */
function connectionFault(error: unknown): string {
  const chain: (Error & { code?: unknown; statusCode?: unknown })[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  const refused = chain.find(({ code }) => code === 'ERR_PROXY_TUNNEL')?.statusCode
  const status = refused ?? chain.map(({ message }) => /Proxy response \((\d+)\)/.exec(message)?.[1]).find(Boolean)
  if (status !== undefined) return `the proxy answered ${status}`
  const code = chain.map((each) => each.code).find((each) => typeof each === 'string')
  return code ?? chain.at(-1)?.message ?? String(error)
}

/** Cancels the body, so that the connection can be reused or closed. */
async function discard(response: PlainResponse | MandateError): Promise<void> {
  if (!(response instanceof MandateError)) await response.body?.cancel().catch(() => {})
}
