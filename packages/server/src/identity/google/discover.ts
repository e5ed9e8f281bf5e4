import { allowInsecureRequests, type Configuration, discovery, enableNonRepudiationChecks } from 'openid-client'
import { isLoopback } from '../../security/loopback.ts'
import { IdentityFailure } from '../failure.ts'

export const GOOGLE_ISSUER = 'https://accounts.google.com'
const TIMEOUT_SECONDS = 10

/**
 * The server's registration as a client at the OpenID issuer. The issuer is Google unless `issuer` is set, for tests or for
 * another OpenID provider. A plain http URL is accepted only for loopback addresses.
 */
export type GoogleClient = { clientId: string; clientSecret: string; issuer?: string | undefined }

/** Returns a function that loads the provider's configuration once and caches it. A failed attempt is not cached. */
export function rememberDiscovery(client: GoogleClient): () => Promise<Configuration> {
  let remembered: Promise<Configuration> | undefined
  return () => {
    remembered ??= discover(client).catch((cause) => {
      remembered = undefined
      throw new IdentityFailure(
        'unavailable',
        `the OpenID configuration of ${client.issuer ?? GOOGLE_ISSUER} could not be loaded`,
        { cause },
      )
    })
    return remembered
  }
}

function discover(client: GoogleClient): Promise<Configuration> {
  const issuer = new URL(client.issuer ?? GOOGLE_ISSUER)
  return discovery(issuer, client.clientId, client.clientSecret, undefined, {
    timeout: TIMEOUT_SECONDS,
    // The signatures of ID tokens are checked, although TLS already protects the connection to the token endpoint.
    execute: isLoopback(issuer) ? [enableNonRepudiationChecks, allowInsecureRequests] : [enableNonRepudiationChecks],
  })
}
