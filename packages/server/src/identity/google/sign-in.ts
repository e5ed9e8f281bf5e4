import { authorizationCodeGrant, buildAuthorizationUrl, calculatePKCECodeChallenge, type IDToken } from 'openid-client'
import { type Attempts, spend } from '../attempts.ts'
import { IdentityFailure } from '../failure.ts'
import type { GoogleIdentity, GoogleSignIn } from '../port.ts'
import { type GoogleClient, rememberDiscovery } from './discover.ts'
import { explainGrantError } from './explain-grant-error.ts'

const context = 'google'

/**
 * Signs people in with the authorization code flow, with PKCE, state and nonce. Works for one client at one OpenID issuer.
 */
export function createGoogleSignIn(client: GoogleClient, attempts: Attempts, now: () => Date): GoogleSignIn {
  const discovered = rememberDiscovery(client)
  const nonceOf = (state: string) => attempts.secretOf(state, 'nonce')
  const codeVerifierOf = (state: string) => attempts.secretOf(state, 'code verifier')
  return {
    async startUrl({ redirectUri }) {
      const config = await discovered()
      const state = attempts.begin(context, now())
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce: nonceOf(state),
        code_challenge: await calculatePKCECodeChallenge(codeVerifierOf(state)),
        code_challenge_method: 'S256',
      })
      return { url: url.href, state }
    },

    async finish(db, { currentUrl, state, redirectUri }) {
      const parameters = parametersOf(currentUrl, state)
      const expiry = attempts.expiryOf(state as string, context, now())
      if (!expiry)
        throw new IdentityFailure('refused', 'the OAuth state is unknown or expired; start the sign-in again')
      const config = await discovered()
      const callbackUrl = new URL(redirectUri)
      callbackUrl.search = parameters.toString()
      const tokens = await authorizationCodeGrant(config, callbackUrl, {
        pkceCodeVerifier: codeVerifierOf(state as string),
        expectedState: state as string,
        expectedNonce: nonceOf(state as string),
        idTokenExpected: true,
      }).catch((error) => {
        throw explainGrantError(error)
      })
      // The OAuth state is marked as used only after Google has confirmed the sign-in. A sign-in that Google has not confirmed
      // therefore stores nothing.
      if (!(await spend(db, state as string, expiry)))
        throw new IdentityFailure('refused', 'the OAuth state was used before; start the sign-in again')
      const claims = tokens.claims()
      if (!claims) throw new IdentityFailure('refused', 'the OpenID issuer sent no ID token')
      return toIdentity(claims)
    },
  }
}

/**
 * Returns the parameters that the issuer has added to the callback URL. Throws if their OAuth state differs from the state in
 * the cookie, because another browser may then have started the sign-in.
 */
function parametersOf(currentUrl: string, state: string | undefined): URLSearchParams {
  const parameters = URL.canParse(currentUrl) ? new URL(currentUrl).searchParams : new URLSearchParams()
  if (!state || parameters.get('state') !== state)
    throw new IdentityFailure(
      'refused',
      'the OAuth state does not match the cookie of this browser; start the sign-in again in this browser',
    )
  return parameters
}

function toIdentity(claims: IDToken): GoogleIdentity {
  if (typeof claims.email !== 'string') throw new IdentityFailure('refused', 'the ID token contains no email address')
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: claims.email,
    emailVerified: claims.email_verified === true,
    displayName: typeof claims.name === 'string' && claims.name.trim() !== '' ? claims.name : null,
  }
}
