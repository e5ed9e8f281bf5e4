import type { Credential } from './credential.ts'
import { errorOf, MandateError } from './mandate-error.ts'
import type { Answer, Input, OperationId } from './operation.ts'
import { defaultRetry, type RetryOptions } from './retry.ts'
import { routes } from './schema.generated.ts'
import { noAnswer, type Outgoing, type RetryNotice, send } from './send.ts'

export interface ClientOptions {
  /** Where the service is, such as `https://mandate.example.com`. */
  url: string
  /** Without one, only public operations can be called. */
  credential?: Credential
  /** For each attempt; 30 seconds unless set. */
  timeoutMs?: number
  retry?: Partial<RetryOptions>
  /** Told before each wait for another attempt. */
  onRetry?: (notice: RetryNotice) => void
  /** In place of the platform's own, such as one that goes through a proxy. */
  fetch?: typeof fetch
}

export interface CallOptions {
  /** Ends the call; it throws the signal's reason. */
  signal?: AbortSignal
  /** For this call; null waits for ever. */
  timeoutMs?: number | null
  /** The version of a policy that a write is meant for: refused with 412 when the policy has moved on. */
  ifMatch?: number
  /** This write may be made twice without harm, so it is made again when no answer came. */
  safeToRepeat?: boolean
}

type Arguments<O extends OperationId> =
  Record<never, never> extends Input<O> ? [input?: Input<O> & CallOptions] : [input: Input<O> & CallOptions]

export interface Client {
  /**
   * Calls an operation of the interface by its id and answers its body.
   * @throws MandateError for a refusal, or where no answer came
   */
  call<O extends OperationId>(operation: O, ...rest: Arguments<O>): Promise<Answer<O>>
  /** The same for an answer to be read piece by piece, such as an export. Has no time limit unless one is given. */
  open<O extends OperationId>(operation: O, ...rest: Arguments<O>): Promise<Response>
}

interface AnyInput extends CallOptions {
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

const basePath = '/api/v1'
const defaultTimeoutMs = 30_000
// Writes by name only: they change nothing.
const readsByPost: ReadonlySet<OperationId> = new Set(['validatePolicy', 'simulatePolicy'])

/** A client of one control plane. Holds no connection of its own: there is nothing to close. */
export function createClient(options: ClientOptions): Client {
  const origin = originOf(options.url)
  const transport = {
    credential: options.credential,
    // Called as a plain function: browsers refuse a `fetch` with another `this`.
    fetch: options.fetch ?? ((input: Parameters<typeof fetch>[0], init?: RequestInit) => fetch(input, init)),
    retry: { ...defaultRetry, ...options.retry },
    onRetry: options.onRetry,
  }
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs

  return {
    async call(operation, ...[input]) {
      const outgoing = outgoingOf(origin, operation, (input ?? {}) as AnyInput, timeoutMs)
      const response = await send(transport, outgoing)
      if (!response.ok) throw await errorOf(response)
      return (await bodyOf(response, outgoing)) as Answer<typeof operation>
    },
    async open(operation, ...[input]) {
      const outgoing = outgoingOf(origin, operation, (input ?? {}) as AnyInput, undefined)
      const response = await send(transport, outgoing)
      if (!response.ok) throw await errorOf(response)
      return response
    },
  }
}

function originOf(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new TypeError(`${url} is not an http or https address`)
  if (parsed.username || parsed.password) throw new TypeError('the address must not hold a user or a password')
  // Accepted with the base path too, as people copy it.
  return (parsed.origin + parsed.pathname).replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

function outgoingOf(
  origin: string,
  operation: OperationId,
  { path = {}, query = {}, body, signal, timeoutMs, ifMatch, safeToRepeat = false }: AnyInput,
  defaultMs: number | undefined,
): Outgoing {
  const route: { method: string; path: string; absolute?: boolean } = routes[operation]
  return {
    url: origin + (route.absolute ? '' : basePath) + filled(route.path, path) + searchOf(query),
    method: route.method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    repeatable: safeToRepeat || route.method === 'GET' || readsByPost.has(operation),
    timeoutMs: timeoutMs === null ? undefined : (timeoutMs ?? defaultMs),
    signal,
  }
}

function filled(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '')
    // Such a segment would be another path, or none.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`path.${name} must be an id`)
    return encodeURIComponent(value)
  })
}

function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `?${search}` : ''
}

async function bodyOf(response: Response, { url, signal, timeoutMs }: Outgoing): Promise<unknown> {
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
    throw new MandateError('the answer cannot be read as JSON', { status, code: 'unreadable', requestId, cause })
  }
}
