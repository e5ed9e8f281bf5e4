import { learnSession, prepareCall } from './browser/browser-calls.ts'
import { cookieSession } from './browser/cookie-session.ts'
import type { Credential } from './credential.ts'
import { bodyText } from './json/copy-json.ts'
import { errorOf, MandateError } from './mandate-error.ts'
import type { Answer, Input, OperationId } from './operation.ts'
import type { PlainFetch, PlainResponse } from './plain-fetch.ts'
import { defaultRetry, type RetryOptions } from './retry.ts'
import { routes } from './routes.generated.ts'
import { noAnswer, type Outgoing, type RetryNotice, send as sendWithRetries } from './send.ts'

export interface ClientOptions {
  /** URL of the control plane, such as `https://mandate.example.com`. */
  url: string
  /** Without a credential, only public operations can be called. */
  credential?: Credential
  /**
   * For web pages on the origin of the control plane: `cookie` keeps the refresh token in a cookie that scripts cannot read. After
   * `call('signIn', …)`, or if the browser has the cookie of an earlier sign-in, the client makes its calls as this person.
   */
  session?: 'cookie'
  /**
   * With `session`: called when the session has ended, for all calls that need it together. They wait for the promise. After it, they
   * continue with the session that the person has opened by then. If the promise is rejected, they fail with its reason.
   */
  onSessionEnd?: (error: MandateError) => Promise<void>
  /** Timeout of each attempt in ms; 30,000 by default. */
  timeoutMs?: number
  retry?: Partial<RetryOptions>
  /** Called before each wait for a retry. */
  onRetry?: (notice: RetryNotice) => void
  /** Used instead of the global `fetch`, for example to send requests through a proxy. */
  fetch?: typeof fetch
  /** Used instead of `fetch` by `call`, for programs that must start fast: Node loads its `fetch` at the first use, which takes long. */
  callFetch?: PlainFetch
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal
  /** Timeout of each attempt of this call in ms; null for no timeout. */
  timeoutMs?: number | null
  /** Expected policy version of a write. The service refuses the write with 412 if the policy has another version. */
  ifMatch?: number
  /** Id of the last event that a stream of events sent. The stream continues after it. */
  lastEventId?: string
  /** Retries this write if no response arrives. Set it only if the write may safely be applied twice. */
  safeToRepeat?: boolean
}

type Arguments<O extends OperationId> =
  Record<never, never> extends Input<O> ? [input?: Input<O> & CallOptions] : [input: Input<O> & CallOptions]

export interface Client {
  /**
   * Calls an API operation by its id and returns the response body.
   * @throws MandateError for an error status, or if no response arrives
   */
  call<O extends OperationId>(operation: O, ...rest: Arguments<O>): Promise<Answer<O>>
  /** Like `call`, but returns the response unread, for streaming a large body such as an export. Has no timeout by default. */
  open<O extends OperationId>(operation: O, ...rest: Arguments<O>): Promise<Response>
}

interface AnyInput extends CallOptions {
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

const basePath = '/api/v1'
const defaultTimeoutMs = 30_000
// These use POST but change nothing, so they are safe to retry.
const readsByPost: ReadonlySet<OperationId> = new Set(['validatePolicy', 'simulatePolicy'])

/** Creates a client for one control plane. The client has no connection to close. */
export function createClient(options: ClientOptions): Client {
  const origin = originOf(options.url)
  if (options.credential && options.session) throw new TypeError('use either credential or session')
  // The arrow function calls `fetch` without a `this` value. Browsers reject `fetch` with another `this`.
  const fullFetch = options.fetch ?? ((input: Parameters<typeof fetch>[0], init?: RequestInit) => fetch(input, init))
  const transport = {
    retry: { ...defaultRetry, ...options.retry },
    onRetry: options.onRetry,
  }
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  const send = async <R extends PlainResponse>(fetch: PlainFetch<R>, operation: OperationId, plain: Outgoing) => {
    const { outgoing, credential } = session
      ? prepareCall(session, operation, plain)
      : { outgoing: plain, credential: options.credential }
    const response = await sendWithRetries({ ...transport, fetch, credential }, outgoing)
    if (!response.ok) throw await errorOf(response)
    const isPage = response.headers.get('content-type')?.includes('text/html') && !isAbsolute(operation)
    if (!isPage) return response
    await response.body?.cancel().catch(() => {})
    const { origin: host } = new URL(plain.url)
    throw new MandateError(`${host} answered with a web page; it is not the address of Mandate, or a proxy answered`, {
      status: response.status,
      code: 'unreadable',
    })
  }

  const client: Client = {
    async call(operation, ...[input]) {
      const outgoing = outgoingOf(origin, operation, (input ?? {}) as AnyInput, timeoutMs)
      const answer = await bodyOf(await send(options.callFetch ?? fullFetch, operation, outgoing), outgoing)
      if (session) learnSession(session, operation, answer)
      return answer as Answer<typeof operation>
    },
    open: (operation, ...[input]) =>
      send(fullFetch, operation, outgoingOf(origin, operation, (input ?? {}) as AnyInput, undefined)),
  }
  const refresh = async () => (await client.call('refresh')).session
  const session = options.session && cookieSession(origin, refresh, options.onSessionEnd)
  return client
}

function originOf(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new TypeError(`${url} is not an http or https URL`)
  if (parsed.username || parsed.password) throw new TypeError('the URL must not contain a user or a password')
  // Removes the base path, because people often copy a URL that contains it.
  return (parsed.origin + parsed.pathname).replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

function outgoingOf(
  origin: string,
  operation: OperationId,
  { path = {}, query = {}, body, signal, timeoutMs, ifMatch, lastEventId, safeToRepeat = false }: AnyInput,
  defaultMs: number | undefined,
): Outgoing {
  const route: { method: string; path: string } = routes[operation]
  return {
    url: origin + (isAbsolute(operation) ? '' : basePath) + filled(route.path, path) + searchOf(query),
    method: route.method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    body: body === undefined ? undefined : bodyText(body),
    repeatable: safeToRepeat || route.method === 'GET' || readsByPost.has(operation),
    timeoutMs: timeoutMs === null ? undefined : (timeoutMs ?? defaultMs),
    signal,
  }
}

const isAbsolute = (operation: OperationId) => 'absolute' in routes[operation]

function filled(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '')
    // Such a segment would change the path.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`path.${name} must be an id`)
    return encodeURIComponent(value)
  })
}

function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `?${search}` : ''
}

async function bodyOf(response: PlainResponse, { url, signal, timeoutMs }: Outgoing): Promise<unknown> {
  const text = await response.text().catch((error: Error) => {
    signal?.throwIfAborted()
    throw noAnswer(error, url, error.name === 'TimeoutError' ? timeoutMs : undefined)
  })
  if (text === '') return undefined
  if (!response.headers.get('content-type')?.includes('json')) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    const requestId = response.headers.get('x-request-id') ?? undefined
    const { status } = response
    throw new MandateError(`the response of ${new URL(url).origin} is not valid JSON`, {
      status,
      code: 'unreadable',
      requestId,
      cause,
    })
  }
}
