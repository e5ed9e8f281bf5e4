import { answerJson, type Exchange } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { rpcError, upstreamFailed } from './rpc-error.ts'
import { AuthorizationNeeded, ServerRefused } from './server-refused.ts'

const unreachable = new ServerRefused('The tool server cannot be reached')

/** Answers a client whose request got no answer of the tool server that may go on, and logs why. */
export function answerFailure(exchange: Exchange, error: unknown): void {
  if (error instanceof AuthorizationNeeded) {
    answerUnauthorized(exchange, error)
    return
  }
  const { id, passage, response } = exchange
  passage.log.warn({ err: error, server: passage.server }, 'a tool server cannot be reached')
  const { message, status } = error instanceof ServerRefused ? error : unreachable
  answerJson(response, status, rpcError(id, upstreamFailed, message))
}

/**
 * Says who has to supply the authorization, and where. The challenge stays here: clients follow its links and send the headers of
 * their configuration there, and so their token for the edge. The address of the metadata may hold a part of the server's own
 * address, so it is for the log only.
 */
function answerUnauthorized(exchange: Exchange, { challenge, serverStatus }: AuthorizationNeeded): void {
  const { forwardsAuthorization, id, passage, response } = exchange
  const { log, server } = passage
  const { resourceMetadata = null, error = null, scope = null } = challenge ?? {}
  const asked: JsonObject = { server, status: serverStatus, error, scope }
  log.warn(
    { ...asked, resource_metadata: resourceMetadata?.href ?? null },
    forwardsAuthorization
      ? 'a tool server asks for authorization: the client must send it in Authorization, and its token for the edge in Mandate-Edge-Token'
      : 'a tool server asks for authorization: set oauth, an Authorization header in headers, or forward_authorization for it in the servers file',
  )
  const message = forwardsAuthorization
    ? `The tool server ${server} asks for authorization: send its token in the header Authorization, and the token for the edge in Mandate-Edge-Token`
    : `The tool server ${server} asks for authorization that the edge does not have: its entry in the edge's servers file needs oauth or an Authorization header in headers`
  answerJson(response, 502, rpcError(id, upstreamFailed, message, { 'mandate/authorization': asked }))
}
