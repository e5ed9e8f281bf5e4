import { z } from 'zod'

/** The edge's credentials at the authorization server of a tool server (RFC 6749, 4.4). */
export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  /** The tool server that the token is requested for (RFC 8707). */
  readonly resource?: string | undefined
}

const Token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive().optional(),
})

/** A token is renewed this long before it expires. A token without an expiry time is used for this long. */
const renewMs = 30_000
const unknownLifetimeMs = 300_000
const timeoutMs = 10_000
const longestAnswer = 1 << 20

/** Fetches and caches the token for a tool server. Concurrent callers share one request. */
export class TokenSource {
  private readonly credentials: ClientCredentials
  private current: { token: string; untilMs: number } | null = null
  private fetching: Promise<string> | null = null

  constructor(credentials: ClientCredentials) {
    this.credentials = credentials
  }

  /** Returns a valid token. @throws if the authorization server issues no token */
  token(): Promise<string> {
    if (this.current && Date.now() < this.current.untilMs) return Promise.resolve(this.current.token)
    this.fetching ??= this.fetch().finally(() => {
      this.fetching = null
    })
    return this.fetching
  }

  /** Discards a token that the tool server refused. */
  refuse(token: string): void {
    if (this.current?.token === token) this.current = null
  }

  private async fetch(): Promise<string> {
    const { tokenUrl, clientId, clientSecret, scope, resource } = this.credentials
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    })
    const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new Error(`the authorization server answered with HTTP status ${answer.status}`)
    }
    const { data } = Token.safeParse(readJson(await shortText(answer)))
    if (!data) throw new Error('the authorization server returned no bearer token')
    const lifetimeMs = data.expires_in === undefined ? unknownLifetimeMs : data.expires_in * 1000
    this.current = { token: data.access_token, untilMs: Date.now() + lifetimeMs - Math.min(renewMs, lifetimeMs / 2) }
    return data.access_token
  }
}

// The message of the JSON parser is not logged, because it quotes the answer, and the answer contains the token.
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function shortText(answer: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > longestAnswer) throw new Error('the answer of the authorization server is too long')
  }
  return text
}

// RFC 6749, 2.3.1: id and secret are form-encoded before they are joined.
function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2)
}
