import type { OutgoingHttpHeaders } from 'node:http'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type ClientCredentials, TokenSource } from './client-credentials.ts'

/** The address of a tool server, and the edge's credentials for it. */
export interface ServerAddress {
  readonly url: string
  /** Headers that are sent with every request, such as the credential that the tool server requires. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How the edge gets a token for the server. The edge sends this token in place of a configured `Authorization` header. */
  readonly oauth?: ClientCredentials | undefined
  /** Whether the edge forwards the `Authorization` headers of clients to the tool server. */
  readonly forwardAuthorization?: boolean | undefined
}

/** A request to a tool server. `signal` stops both the request and the reading of its answer. */
export interface Sending {
  readonly method: string
  /** The address to send to. If absent, the server's configured address is used. */
  readonly url?: URL
  readonly headers: OutgoingHttpHeaders
  readonly body?: Body | undefined
  readonly signal: AbortSignal
}

/** The body of a request. When the connection is open, `release` is called. The body is sent only if `release` returns true. */
export interface Body {
  readonly text: string
  release(): boolean
}

/** Thrown if `release` returned false, so that the body was not sent. */
export class NotReleased extends Error {
  override readonly name = 'NotReleased'
}

/** Maximum size of the headers of an answer, in bytes. */
const maxHeaderSize = 16 * 1024

/** Sends requests to one tool server with its configured credential. Does not follow redirects. */
export class ServerRequests {
  readonly target: URL
  private readonly headers: Readonly<Record<string, string>>
  private readonly tokens: TokenSource | undefined
  private readonly isTls: boolean
  private readonly agent: HttpAgent

  constructor({ url, headers = {}, oauth }: ServerAddress) {
    this.target = new URL(url)
    this.headers = headers
    this.tokens = oauth && new TokenSource(oauth)
    this.isTls = this.target.protocol === 'https:'
    this.agent = this.isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  }

  /**
   * Sends a request. If the server refuses the token, fetches a new token and sends the request again.
   * @throws NotReleased if `body.release` returned false, so that the body was not sent; an Error if there is no answer
   */
  async send(sending: Sending): Promise<IncomingMessage> {
    const token = await this.tokens?.token()
    const answer = await this.sendWith(token, sending)
    if (answer.statusCode !== 401 || !this.tokens || token === undefined) return answer
    // The token may have been revoked before it expired.
    answer.destroy()
    this.tokens.refuse(token)
    return await this.sendWith(await this.tokens.token(), sending)
  }

  close(): void {
    this.agent.destroy()
  }

  private sendWith(token: string | undefined, sending: Sending): Promise<IncomingMessage> {
    const { method, url = this.target, headers, body, signal } = sending
    return new Promise((resolve, reject) => {
      const start = this.isTls ? httpsRequest : httpRequest
      const length = body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body.text) }
      const authorization = token !== undefined && { authorization: `Bearer ${token}` }
      const given = { ...headers, 'accept-encoding': 'identity', ...length, ...this.headers, ...authorization }
      const outgoing = start(url, { method, agent: this.agent, maxHeaderSize, headers: given }, resolve)
      outgoing.on('error', reject)
      const stop = () => outgoing.destroy(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      // If the server switches protocols, Node closes the request without an error, and the promise would never settle. If an
      // answer has already arrived, `reject` has no effect.
      outgoing.once('close', () => {
        signal.removeEventListener('abort', stop)
        reject(new Error('the tool server closed the connection without an answer'))
      })
      if (body === undefined) return outgoing.end()
      // The policy may change while the connection opens. So `release` checks right before sending that the body may still be
      // sent.
      whenConnected(outgoing, this.isTls, () => {
        if (body.release()) outgoing.end(body.text)
        else outgoing.destroy(new NotReleased())
      })
    })
  }
}

function whenConnected(outgoing: ClientRequest, isTls: boolean, act: () => void): void {
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', act)
    else act()
  })
}
