import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { IdentityFailure } from '../failure.ts'

/** The issuer did not answer, or not as an issuer answers: worth a retry, and no fault of the person. */
const ISSUER_FAULTS = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
])
const ISSUER_ERRORS = new Set(['server_error', 'temporarily_unavailable', 'invalid_client', 'unauthorized_client'])

/** Tells a sign-in that proved nothing (`refused`) from an issuer that failed (`unavailable`); other errors are returned as they are. */
export function explainGrantError(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const atFault = ISSUER_ERRORS.has(error.error) || ('status' in error && error.status >= 500)
    return new IdentityFailure(atFault ? 'unavailable' : 'refused', `the issuer answered ${error.error}`, {
      cause: error,
    })
  }
  if (error instanceof ClientError) {
    const atFault = ISSUER_FAULTS.has(error.code ?? '')
    return new IdentityFailure(atFault ? 'unavailable' : 'refused', error.message, { cause: error })
  }
  // What fetch throws when there is no connection carries no code of its own.
  if (error instanceof TypeError && !('code' in error)) {
    return new IdentityFailure('unavailable', 'the issuer could not be reached', { cause: error })
  }
  return error
}
