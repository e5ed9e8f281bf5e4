import { z } from 'zod'

/** How the edge gets itself a token of a tool server's authorization server (RFC 6749, 4.4). */
export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  /** The server that the token is for (RFC 8707). */
  readonly resource?: string | undefined
}

const Token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive().optional(),
})

/** How long before its end a token is renewed, and how long one counts that names no end. */
const renewMs = 30_000
const unknownLifetimeMs = 300_000
const timeoutMs = 10_000
const longestAnswer = 1 << 20

/** Keeps a token of a tool server. Those that ask while one is fetched share it. */
export class TokenSource {
  private readonly credentials: ClientCredentials
  private current: { token: string; untilMs: number } | null = null
  private fetching: Promise<string> | null = null

  constructor(credentials: ClientCredentials) {
    this.credentials = credentials
  }

  /** A token that counts for now. @throws when the authorization server gives none */
  token(): Promise<string> {
    if (this.current && Date.now() < this.current.untilMs) return Promise.resolve(this.current.token)
    this.fetching ??= this.fetch().finally(() => {
      this.fetching = null
    })
    return this.fetching
  }

  /** Forgets a token that the tool server refused. */
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
      throw new Error(`the authorization server answered ${answer.status}`)
    }
    const { data } = Token.safeParse(readJson(await shortText(answer)))
    if (!data) throw new Error('the authorization server gave no bearer token')
    const lifetimeMs = data.expires_in === undefined ? unknownLifetimeMs : data.expires_in * 1000
    this.current = { token: data.access_token, untilMs: Date.now() + lifetimeMs - Math.min(renewMs, lifetimeMs / 2) }
    return data.access_token
  }
}

// The parser's message would quote the answer, and so the token, in the log.
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
    if (text.length > longestAnswer) throw new Error('the authorization server answers without end')
  }
  return text
}

// RFC 6749, 2.3.1: the two are form-encoded before they are joined.
function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2)
}
