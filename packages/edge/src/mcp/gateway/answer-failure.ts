import type { Passage } from '../mediation/check-message.ts'
import type { JsonObject } from '../messages/json.ts'
import { upstreamFailed } from '../messages/rpc-error.ts'
import { answerError, type Exchange } from './exchange.ts'
import { asRefusal } from './explain-no-answer.ts'
import { AuthorizationNeeded, Redirected } from './server-refused.ts'

/** What the client is told about a request that a tool server did not answer. */
export interface Failure {
  /** HTTP status, for a client whose request has no answer yet. */
  readonly status: number
  readonly message: string
  readonly data?: JsonObject
}

/** Sends an error to the client if the tool server gave no answer that may be forwarded, and logs the reason. */
export function answerFailure(exchange: Exchange, error: unknown): void {
  const { status, message, data } = explainFailure(exchange, error)
  answerError(exchange, status, [upstreamFailed, message], { data })
}

/** Returns what to tell the client of an error, and logs the error. */
export function explainFailure(given: Pick<Exchange, 'passage' | 'forwardsAuthorization'>, thrown: unknown): Failure {
  const { passage } = given
  const error = withLabels(passage, thrown)
  if (error instanceof AuthorizationNeeded) return explainUnauthorized(given, error)
  passage.log.warn({ err: error, server: passage.server }, 'a tool server cannot be reached or gave no usable answer')
  const { message, status } = asRefusal(error)
  return { message, status }
}

/** Gives the labels of the called tools to the session before the client gets a text of the server, and leaves out the text if that fails. */
function withLabels({ guard, server }: Passage, error: unknown): unknown {
  const isText =
    (error instanceof Redirected && error.location) || (error instanceof AuthorizationNeeded && error.challenge?.scope)
  if (!isText || guard.noteText(server, false) === null) return error
  if (error instanceof Redirected) return new Redirected(error.location, false)
  if (!(error instanceof AuthorizationNeeded) || !error.challenge) return error
  return new AuthorizationNeeded(error.serverStatus, { ...error.challenge, scope: null })
}

/**
 * Names the missing setting or header, and logs what the tool server asked for. Does not forward the
 * server's `WWW-Authenticate` challenge. A client would open the addresses in it and send its configured headers there,
 * including its edge token. The address of the server's metadata is logged but not sent to the client, because it may contain a
 * secret part of the server's address.
 */
function explainUnauthorized(
  { forwardsAuthorization, passage }: Pick<Exchange, 'passage' | 'forwardsAuthorization'>,
  { challenge, serverStatus }: AuthorizationNeeded,
): Failure {
  const { log, server } = passage
  const { resourceMetadata = null, error = null, scope = null } = challenge ?? {}
  const asked: JsonObject = { server, status: serverStatus, error, scope }
  log.warn(
    { ...asked, resource_metadata: resourceMetadata?.href ?? null },
    forwardsAuthorization
      ? 'a tool server asks for authorization: the client must send the credential for this tool server in the header Authorization, and the edge token in the header Mandate-Edge-Token'
      : 'a tool server asks for authorization: in the servers file, set oauth, headers.Authorization or forward_authorization for this server',
  )
  const message = forwardsAuthorization
    ? `The tool server ${server} asks for authorization: send its token in the header Authorization, and the token for the edge in Mandate-Edge-Token`
    : `The tool server ${server} asks for authorization that the edge does not have: its entry in the edge's servers file needs oauth or an Authorization header in headers`
  return { status: 502, message, data: { 'mandate/authorization': asked } }
}
