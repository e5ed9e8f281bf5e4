import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { IdentityFailure } from '../failure.ts'
import type { Db, GoogleIdentity, GoogleSignIn } from '../port.ts'
import { type GoogleClient, rememberDiscovery } from './discover.ts'
import { explainGrantError } from './explain-grant-error.ts'
import { rememberAttempt, takeAttempt } from './state.ts'

/** Authorization code flow with PKCE, state and nonce, for one client at one OpenID issuer. */
export function createGoogleSignIn(client: GoogleClient, now: () => Date): GoogleSignIn {
  const discovered = rememberDiscovery(client)
  return {
    async startUrl(db, { redirectUri }) {
      const config = await discovered()
      const state = randomState()
      const nonce = randomNonce()
      const codeVerifier = randomPKCECodeVerifier()
      await rememberAttempt(db, state, { codeVerifier, nonce, redirectUri }, now())
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, state }
    },

    async finish(db, { currentUrl, state }) {
      const config = await discovered()
      const { attempt, callbackUrl } = await matchAttempt(db, currentUrl, state, now())
      const tokens = await authorizationCodeGrant(config, callbackUrl, {
        pkceCodeVerifier: attempt.codeVerifier,
        expectedState: state as string,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      }).catch((error) => {
        throw explainGrantError(error)
      })
      const claims = tokens.claims()
      if (!claims) throw new IdentityFailure('refused', 'the issuer sent no ID token')
      return toIdentity(claims)
    },
  }
}

/** The cookie ties the callback to the browser that began; the stored redirect URI, not the proxy's view, is what is redeemed. */
async function matchAttempt(db: Db, currentUrl: string, state: string | undefined, now: Date) {
  const parameters = URL.canParse(currentUrl) ? new URL(currentUrl).searchParams : new URLSearchParams()
  if (!state || parameters.get('state') !== state)
    throw new IdentityFailure('refused', 'the state is not this browser’s')
  const attempt = await takeAttempt(db, state, now)
  if (!attempt) throw new IdentityFailure('refused', 'the state is unknown, used or expired')
  const callbackUrl = new URL(attempt.redirectUri)
  callbackUrl.search = parameters.toString()
  return { attempt, callbackUrl }
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
