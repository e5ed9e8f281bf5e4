import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { UnsafeAddress } from './guarded-lookup.ts'
import { AnswerRefused, postForm } from './post-form.ts'

/** The edge's credentials at the authorization server of a tool server (RFC 6749, 4.4). */
export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  /** The tool server that the token is requested for (RFC 8707). */
  readonly resource?: string | undefined
  /** See `PostedForm.isPrivateAllowed`. */
  readonly isPrivateAllowed?: boolean | undefined
}

export interface TokenTiming {
  /** How long one request may take. */
  readonly requestMs: number
  /** How long callers wait for a token, with all tries. */
  readonly patienceMs: number
  /** The wait before the second try, and before requests are sent again after all tries have failed. It doubles with each failure. */
  readonly firstWaitMs: number
  readonly firstQuietMs: number
  readonly longestQuietMs: number
}

const usualTiming: TokenTiming = {
  requestMs: 5_000,
  patienceMs: 10_000,
  firstWaitMs: 250,
  firstQuietMs: 1_000,
  longestQuietMs: 60_000,
}

const Token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive().optional(),
})

/** A token is renewed this long before it expires. A token without an expiry time is used for `unknownLifetimeMs`. */
const renewMs = 30_000
const unknownLifetimeMs = 300_000
const longestAnswer = 64 * 1024
const mostTries = 3

interface Held {
  readonly token: string
  readonly renewAtMs: number
  readonly expiresAtMs: number
}

/** Thrown if the same request would fail again. */
class TokenRefused extends Error {}

/**
 * Fetches and caches the token for a tool server. Concurrent callers share one request. A token is renewed before it expires, and callers use it
 * meanwhile. After failures, requests are sent at growing intervals, and callers in between get the last error at once.
 */
export class TokenSource {
  private readonly credentials: ClientCredentials
  private readonly timing: TokenTiming
  private readonly now: () => number
  private current: Held | null = null
  private fetching: Promise<string> | null = null
  private failures = 0
  private quietUntilMs = 0
  private lastError: Error | null = null

  /** @param now a clock in milliseconds that never goes back */
  constructor(
    credentials: ClientCredentials,
    timing: Partial<TokenTiming> = {},
    now: () => number = () => performance.now(),
  ) {
    this.credentials = credentials
    this.timing = { ...usualTiming, ...timing }
    this.now = now
  }

  /** Returns a valid token. @throws if the authorization server issues no token */
  token(): Promise<string> {
    const now = this.now()
    const { current } = this
    if (current && now < current.renewAtMs) return Promise.resolve(current.token)
    const isQuiet = now < this.quietUntilMs
    if (current && now < current.expiresAtMs) {
      if (!isQuiet) this.renew().catch(() => {})
      return Promise.resolve(current.token)
    }
    return isQuiet && this.lastError && !this.fetching ? Promise.reject(this.lastError) : this.renew()
  }

  /** Discards a token that the tool server refused. */
  refuse(token: string): void {
    if (this.current?.token === token) this.current = null
  }

  private renew(): Promise<string> {
    this.fetching ??= this.fetchInTime().finally(() => {
      this.fetching = null
    })
    return this.fetching
  }

  private async fetchInTime(): Promise<string> {
    const { firstQuietMs, longestQuietMs } = this.timing
    try {
      const held = await this.fetchWithRetries()
      this.current = held
      this.failures = 0
      this.lastError = null
      return held.token
    } catch (error) {
      this.quietUntilMs = this.now() + Math.min(firstQuietMs * 2 ** this.failures, longestQuietMs)
      this.failures = Math.min(this.failures + 1, 20)
      this.lastError = error as Error
      throw error
    }
  }

  private async fetchWithRetries(): Promise<Held> {
    const { firstWaitMs, patienceMs } = this.timing
    const deadline = this.now() + patienceMs
    for (let tries = 1; ; tries++) {
      try {
        return await this.fetchOnce(deadline - this.now())
      } catch (error) {
        const waitMs = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
        if (error instanceof TokenRefused || tries >= mostTries || this.now() + waitMs >= deadline) throw error
        await pause(waitMs)
      }
    }
  }

  private async fetchOnce(leftMs: number): Promise<Held> {
    const startMs = this.now()
    const { status, text } = await this.ask(leftMs)
    const isTransient = status >= 500 || status === 408 || status === 429
    const said = `the authorization server answered with HTTP status ${status}`
    if (status !== 200) throw isTransient ? new Error(said) : new TokenRefused(said)
    const { data } = Token.safeParse(readJson(text))
    if (!data) throw new TokenRefused('the authorization server returned no bearer token')
    const lifetimeMs = data.expires_in === undefined ? unknownLifetimeMs : data.expires_in * 1000
    const expiresAtMs = startMs + lifetimeMs
    return { token: data.access_token, expiresAtMs, renewAtMs: expiresAtMs - Math.min(renewMs, lifetimeMs / 2) }
  }

  private async ask(leftMs: number): Promise<{ status: number; text: string }> {
    const { tokenUrl, clientId, clientSecret, scope, resource, isPrivateAllowed } = this.credentials
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    })
    const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')
    const headers = { authorization: `Basic ${basic}`, accept: 'application/json' }
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(this.timing.requestMs, leftMs))))
    try {
      return await postForm({ url: tokenUrl, headers, form, maxBytes: longestAnswer, signal, isPrivateAllowed })
    } catch (error) {
      throw explained(error as NodeJS.ErrnoException, signal)
    }
  }
}

function explained(error: NodeJS.ErrnoException, signal: AbortSignal): Error {
  if (error instanceof UnsafeAddress)
    return new TokenRefused('the address of the authorization server is in a private network, which is not allowed')
  if (error instanceof AnswerRefused) return new TokenRefused(`the authorization server: ${error.message}`)
  if (signal.aborted) return new Error('the authorization server did not answer in time')
  return new Error(`the authorization server cannot be reached: ${error.code ?? error.message}`)
}

// The message of the JSON parser is not logged, because it quotes the answer, and the answer contains the token.
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// RFC 6749, 2.3.1: id and secret are form-encoded before they are joined.
function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2)
}
