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
      if (!expiry) throw new IdentityFailure('refused', 'the state is unknown or expired')
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
      // The use of the state is stored only now, after Google has confirmed the sign-in.
      if (!(await spend(db, state as string, expiry))) throw new IdentityFailure('refused', 'the state was used before')
      const claims = tokens.claims()
      if (!claims) throw new IdentityFailure('refused', 'the issuer sent no ID token')
      return toIdentity(claims)
    },
  }
}

/**
 * Returns the parameters that the issuer has sent. Compares the state with the cookie, which proves that this browser has
 * started the sign-in.
 */
function parametersOf(currentUrl: string, state: string | undefined): URLSearchParams {
  const parameters = URL.canParse(currentUrl) ? new URL(currentUrl).searchParams : new URLSearchParams()
  if (!state || parameters.get('state') !== state)
    throw new IdentityFailure('refused', 'the state does not match the cookie of this browser')
  return parameters
}

function toIdentity(claims: IDToken): GoogleIdentity {
  if (typeof claims.email !== 'string') throw new IdentityFailure('refused', 'the ID token names no email address')
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: claims.email,
    emailVerified: claims.email_verified === true,
    displayName: typeof claims.name === 'string' && claims.name.trim() !== '' ? claims.name : null,
  }
}
