import { jwtVerify, SignJWT } from 'jose'

/** Lifetime of an access token, in seconds. */
export const accessTokenSeconds = 15 * 60

const issuer = 'mandate'
const audience = 'mandate-api'

/** Signed tokens that contain a sign-in account and its session. */
export interface AccessTokens {
  issue(accountId: string, sessionId: string, seconds?: number): Promise<string>
  /**
   * Returns the account and the session of a token, and when it expires, in seconds since 1970. Returns null unless the token is valid and
   * from this server.
   */
  verify(token: string): Promise<{ accountId: string; sessionId: string; expiresAt: number } | null>
}

/** Creates tokens with HS256. `secret` must have at least 32 bytes. */
export function createAccessTokens(secret: Buffer): AccessTokens {
  return {
    issue: (accountId, sessionId, seconds = accessTokenSeconds) =>
      new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(accountId)
        .setIssuedAt()
        .setExpirationTime(`${seconds}s`)
        .sign(secret),
    verify: async (token) => {
      try {
        const options = {
          issuer,
          audience,
          algorithms: ['HS256'],
          typ: 'at+jwt',
          requiredClaims: ['exp', 'sub', 'sid'],
        }
        const { payload } = await jwtVerify(token, secret, options)
        return { accountId: String(payload.sub), sessionId: String(payload.sid), expiresAt: Number(payload.exp) }
      } catch {
        return null
      }
    },
  }
}
