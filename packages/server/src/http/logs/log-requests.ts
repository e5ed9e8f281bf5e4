import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { EdgeActor, Member } from '../../authz/actor.ts'
import type { Services } from '../../services.ts'
import { acceptConnection } from '../connections/connections.ts'
import type { RequestEndListener } from '../connections/request-end.ts'
import type { PathToLog } from './logged-path.ts'
import { userAgentFamily } from './user-agent-family.ts'

/** The sender of a request. Contains only ids and no names. */
interface Caller {
  kind: 'person' | 'api_key' | 'edge' | 'agent'
  tenant_id: string
  /** The id of the user, the API key, the edge or the agent. */
  id: string
  /** The user whose rights an API key has. */
  user_id?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Why the request was refused. */
    refusal: string | null
  }
}

/** Call when a credential of the request is accepted, also if the request fails later. */
export function noteCaller(request: FastifyRequest, actor: Member | EdgeActor): void {
  request.caller = callerOf(actor)
  acceptConnection(request)
}

/** Keeps the reason of a refusal. The log shows it for 401 and 403. */
export function noteRefusal(request: FastifyRequest, reason: unknown): void {
  if (typeof reason === 'string') request.refusal = reason
}

function callerOf(actor: Member | EdgeActor): Caller {
  const { kind, tenantId: tenant_id } = actor
  if (!('userId' in actor)) return { kind, tenant_id, id: actor.credentialId }
  return actor.key
    ? { kind, tenant_id, id: actor.key.id, user_id: actor.userId }
    : { kind, tenant_id, id: actor.userId }
}

/**
 * Logs one line per request: method, path, caller, client and result. The line never contains a credential, a query or a body.
 */
export function logRequests(
  app: FastifyInstance,
  { log }: Pick<Services, 'log'>,
  pathToLog: PathToLog,
): RequestEndListener {
  app.decorateRequest('caller', null)
  app.decorateRequest('refusal', null)
  // The fields of the line are fixed and contain no secret, so the logger does not have to search the line for secret fields.
  const lines = log.child({}, { formatters: { log: (line) => line } })
  return (request, { status, aborted, milliseconds }) => {
    const isRefused = status === 401 || status === 403
    lines.info(
      {
        request_id: request.id,
        method: request.method,
        path: pathToLog(request.url.split('?')[0] ?? '', request.routeOptions.url),
        status,
        duration_ms: Math.round(milliseconds * 10) / 10,
        ip: request.clientAddress,
        user_agent: userAgentFamily(request.headers['user-agent']),
        // pino omits undefined fields.
        caller: request.caller ?? undefined,
        refusal: isRefused ? (request.refusal ?? undefined) : undefined,
        aborted: aborted || undefined,
      },
      'request',
    )
  }
}
