import type { OutgoingHttpHeaders } from 'node:http'
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { CredentialMissing, type SecretHeaders, type ServerSecrets } from '../../credentials/server-secrets.ts'
import { agentFor } from '../../outgoing/proxies.ts'
import { type ClientCredentials, TokenSource } from '../../outgoing/token-source.ts'
import { notAnswered } from '../gateway/explain-no-answer.ts'
import { ServerRefused } from '../gateway/server-refused.ts'

/** The address of a tool server, and the edge's credentials for it. */
export interface ServerAddress {
  readonly url: string
  /** Headers that are sent with every request, such as the credential that the tool server requires. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How the edge gets a token for the server. The edge sends this token in place of a configured `Authorization` header. */
  readonly oauth?: ClientCredentials | undefined
  /** The secrets that the control plane has for the server. They replace configured headers of the same name. */
  readonly secrets?: ServerSecrets | undefined
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
  private readonly secrets: ServerSecrets | undefined
  private readonly isTls: boolean
  private readonly agent: Agent

  constructor({ url, headers = {}, oauth, secrets }: ServerAddress) {
    this.target = new URL(url)
    this.headers = headers
    this.tokens = oauth && new TokenSource(oauth)
    this.secrets = secrets
    this.isTls = this.target.protocol === 'https:'
    this.agent = agentFor(this.target, { keepAlive: true })
  }

  /**
   * Sends a request. If the server refuses the token, fetches a new token and sends the request again.
   * @throws NotReleased if `body.release` returned false, so that the body was not sent; ServerRefused if the edge lacks a credential;
   * EffectUnknown if the body was sent and there is no answer; another Error if the body was not sent
   */
  async send(sending: Sending): Promise<IncomingMessage> {
    const { headers, refuse } = await this.secretHeaders()
    const answer = await this.sendWith(headers, sending)
    if (answer.statusCode !== 401 || !refuse) return answer
    // The token may have been revoked before it expired.
    answer.destroy()
    refuse()
    return await this.sendWith((await this.secretHeaders()).headers, sending)
  }

  private async secretHeaders(): Promise<SecretHeaders> {
    const { tokens } = this
    if (tokens) {
      const token = await tokens.token()
      return { headers: { authorization: `Bearer ${token}` }, refuse: () => tokens.refuse(token) }
    }
    try {
      return (await this.secrets?.headers()) ?? { headers: {} }
    } catch (error) {
      throw error instanceof CredentialMissing ? new ServerRefused(error.message) : error
    }
  }

  close(): void {
    this.secrets?.close()
    this.agent.destroy()
  }

  private sendWith(secretHeaders: Readonly<Record<string, string>>, sending: Sending): Promise<IncomingMessage> {
    const { method, url = this.target, headers, body, signal } = sending
    return new Promise((resolve, reject) => {
      let isSent = false
      const fail = (error: Error) => reject(isSent ? notAnswered(error) : error)
      const start = this.isTls ? httpsRequest : httpRequest
      const length = body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body.text) }
      const given = { ...headers, 'accept-encoding': 'identity', ...length, ...this.headers, ...secretHeaders }
      const outgoing = start(url, { method, agent: this.agent, maxHeaderSize, headers: given }, resolve)
      outgoing.on('error', fail)
      const stop = () => outgoing.destroy(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      // If the server switches protocols, Node closes the request without an error, and the promise would never settle. If an
      // answer has already arrived, `fail` has no effect.
      outgoing.once('close', () => {
        signal.removeEventListener('abort', stop)
        fail(new Error('the tool server closed the connection without an answer'))
      })
      if (body === undefined) return outgoing.end()
      // The policy may change while the connection opens. So `release` checks right before sending that the body may still be
      // sent.
      whenConnected(outgoing, this.isTls, () => {
        if (!body.release()) return outgoing.destroy(new NotReleased())
        isSent = true
        outgoing.end(body.text)
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
