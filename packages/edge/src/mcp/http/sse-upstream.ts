import { mayShowOf } from '../gateway/may-show.ts'
import { unsupportedVersion } from '../messages/rpc-error.ts'
import { type SessionLimits, SessionUpstream } from '../sessions/session-upstream.ts'
import { requestedVersion } from '../sessions/stateless-server.ts'
import { type ServerAddress, ServerRequests } from './server-requests.ts'
import { SseConnection } from './sse-connection.ts'

export interface SseUpstreamOptions extends ServerAddress, SessionLimits {
  readonly timeoutMs?: number | undefined
  readonly maxResponseBytes: number
  readonly maxUnreadBytes: number
}

/** MCP revisions with sessions. A server over HTTP+SSE may use any of them. */
const withSessions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/** A tool server over HTTP+SSE, the transport of MCP revision 2024-11-05. Each session of a client has its own stream to the server. */
export class SseUpstream extends SessionUpstream {
  private readonly requests: ServerRequests

  constructor(options: SseUpstreamOptions) {
    const { timeoutMs, maxResponseBytes: maxEventBytes, maxUnreadBytes } = options
    const requests = new ServerRequests(options)
    super(
      {
        timeoutMs,
        forwardsAuthorization: options.forwardAuthorization,
        secrets: options.secrets,
        sendsSecretsWithEachRequest: true,
        connect: (onUnsent, authorization, guard) => {
          const mayShow = mayShowOf(guard)
          return new SseConnection({
            requests,
            authorization,
            timeoutMs,
            maxEventBytes,
            maxUnreadBytes,
            mayShow,
            onUnsent,
          })
        },
        statelessFault: (message) => ({
          code: unsupportedVersion,
          message: 'The tool server serves revisions with sessions only',
          data: { supported: withSessions, requested: requestedVersion(message) },
        }),
      },
      options,
    )
    this.requests = requests
  }

  override async close(): Promise<void> {
    await super.close()
    this.requests.close()
  }
}
