import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { IdentityFailure } from '../failure.ts'

/**
 * Errors of the issuer: it did not answer, or its answer is not valid. A retry may succeed, and the person has done nothing
 * wrong.
 */
const ISSUER_FAULTS = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
])
const ISSUER_ERRORS = new Set(['server_error', 'temporarily_unavailable', 'invalid_client', 'unauthorized_client'])

/**
 * Converts an error to IdentityFailure `refused` if the sign-in is not valid, or `unavailable` if the issuer failed. Other
 * errors are returned unchanged.
 */
export function explainGrantError(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const atFault = ISSUER_ERRORS.has(error.error) || ('status' in error && error.status >= 500)
    return new IdentityFailure(
      atFault ? 'unavailable' : 'refused',
      `the OpenID issuer answered with the error ${error.error}`,
      { cause: error },
    )
  }
  if (error instanceof ClientError) {
    const atFault = ISSUER_FAULTS.has(error.code ?? '')
    return new IdentityFailure(atFault ? 'unavailable' : 'refused', error.message, { cause: error })
  }
  // If there is no connection, `fetch` throws a TypeError without a code.
  if (error instanceof TypeError && !('code' in error)) {
    return new IdentityFailure('unavailable', 'the OpenID issuer could not be reached', { cause: error })
  }
  return error
}
