import { type CacheProvider, SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { LRUCache } from 'lru-cache'
import { type Attempts, attemptLifetimeMs, spend } from '../attempts.ts'
import { IdentityFailure } from '../failure.ts'
import type { Db, SamlIdentity, SamlProviderSettings, SamlSignIn } from '../port.ts'
import { usesStrongAlgorithms } from './algorithms.ts'
import { readAssertion, type SignedAssertion } from './assertion.ts'
import { rememberAssertion } from './assertions-seen.ts'
import { areGenuine } from './genuine-signature.ts'
import { readPerson } from './person.ts'
import { readShape, type XmlShape } from './read-shape.ts'

const CLOCK_SKEW_MS = 60_000
/** Maximum number of base64 characters in a response. Real responses have about 5,000 to 20,000. */
const RESPONSE_MAX = 128 * 1024
/**
 * Maximum number of responses that are accepted for one request. Parsing a signed response takes up to 90 ms. A browser
 * normally sends one response, and sends it again if the person reloads the page.
 */
const ANSWERS_MAX = 10

/**
 * Handles SAML sign-ins as the service provider. Requests use the redirect binding, and responses use the POST binding. Each
 * tenant has its own settings.
 */
export function createSamlSignIn(attempts: Attempts, now: () => Date): SamlSignIn {
  const answers = new LRUCache<string, number>({ max: 10_000 })
  return {
    async startUrl(settings, relayState) {
      const requestId = `_${attempts.begin(contextOf(settings), now())}`
      const saml = serviceProvider(settings, { newId: () => requestId })
      return { url: await saml.getAuthorizeUrlAsync(relayState, undefined, {}), requestId }
    },
    async finish(db, settings, { SAMLResponse }) {
      const requests = requestsOf(attempts, settings, now())
      const { signedInfos } = countAnswer(answers, requests, SAMLResponse)
      if (!areGenuine(signedInfos, settings.certificate)) {
        throw new IdentityFailure('refused', 'the SAML response is not signed by the provider')
      }
      return await finish(db, settings, requests, SAMLResponse, now())
    },
    metadata: (settings) => serviceProvider(settings).generateServiceProviderMetadata(null),
  }
}

/** Keeps track of the requests that were sent to one identity provider. */
interface Requests {
  /**
   * Returns the expiry of a request. Returns null if the id is unknown, belongs to another identity provider, or has expired.
   */
  expiryOf(requestId: string): Date | null
}

function requestsOf(attempts: Attempts, settings: SamlProviderSettings, now: Date): Requests {
  return {
    expiryOf: (id) => (id.startsWith('_') ? attempts.expiryOf(id.slice(1), contextOf(settings), now) : null),
  }
}

const contextOf = ({ tenantId, providerId }: SamlProviderSettings) => `saml\0${tenantId}\0${providerId}`

/**
 * Rejects a response before it is parsed if it is malformed or too large. Also rejects it if its request is unknown, has
 * expired, or was answered too often.
 */
function countAnswer(answers: LRUCache<string, number>, requests: Requests, response: string): XmlShape {
  const shape = readableShape(response)
  const requestId = shape.root.attributes.get('InResponseTo') ?? ''
  if (!requests.expiryOf(requestId)) {
    throw new IdentityFailure('refused', 'the SAML request is unknown or expired')
  }
  const count = (answers.get(requestId) ?? 0) + 1
  if (count > ANSWERS_MAX) throw new IdentityFailure('refused', 'the SAML request was answered too often')
  answers.set(requestId, count)
  return shape
}

async function finish(
  db: Db,
  settings: SamlProviderSettings,
  requests: Requests,
  response: string,
  now: Date,
): Promise<SamlIdentity> {
  const saml = serviceProvider(settings, { requests })
  // The library throws different errors for forged, expired and misdirected responses. All of them mean that the response is
  // not valid.
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response }).catch((cause) => {
    throw new IdentityFailure('refused', 'the SAML response is not valid', { cause })
  })
  const assertion = readAssertion(profile?.getAssertion?.())
  if (!assertion) throw new IdentityFailure('refused', 'the SAML response contains no complete assertion')
  const confirmation = confirm(assertion, settings, now)
  const requestExpiry = requests.expiryOf(confirmation.inResponseTo)
  if (!requestExpiry || !(await spend(db, confirmation.inResponseTo, requestExpiry))) {
    throw new IdentityFailure('refused', 'the SAML request is unknown, answered or expired')
  }
  const expiresAt = new Date(confirmation.notOnOrAfter.getTime() + CLOCK_SKEW_MS)
  if (!(await rememberAssertion(db, settings, assertion.id, expiresAt))) {
    throw new IdentityFailure('refused', 'the SAML assertion was used before')
  }
  return { ...readPerson(assertion), issuer: federatedIssuer(settings), requestId: confirmation.inResponseTo }
}

/**
 * The issuer is derived from the tenant's provider and not from the entity id. Two tenants may configure the same entity id
 * with different keys, and must not reach each other's accounts.
 */
function federatedIssuer(settings: SamlProviderSettings): string {
  return `saml:${settings.tenantId}:${settings.providerId}`
}

/**
 * Makes the checks that the library does not make. Reads only the signed assertion, and never the unsigned response around it.
 */
function confirm(assertion: SignedAssertion, settings: SamlProviderSettings, now: Date) {
  if (assertion.issuer !== settings.entityId)
    throw new IdentityFailure('refused', 'the SAML assertion is from another issuer')
  const confirmation = assertion.confirmations.find(
    ({ recipient, notOnOrAfter }) =>
      recipient === settings.acsUrl && notOnOrAfter.getTime() + CLOCK_SKEW_MS > now.getTime(),
  )
  if (!confirmation) throw new IdentityFailure('refused', 'the SAML assertion is not confirmed for this recipient')
  return confirmation
}

/**
 * Rejects comments, document types and processing instructions. Responses do not need them, and attacks often use them.
 */
function readableShape(response: string): XmlShape {
  if (response.length > RESPONSE_MAX) throw new IdentityFailure('refused', 'the SAML response is too long')
  const xml = Buffer.from(response, 'base64').toString('utf8')
  const shape = readShape(xml)
  if (!shape) throw new IdentityFailure('refused', 'the SAML response is not well-formed, or too large')
  if (!usesStrongAlgorithms(xml)) {
    throw new IdentityFailure('refused', 'the SAML response is signed with a weak algorithm')
  }
  return shape
}

/**
 * The request cache that the library requires. It stores nothing: requests are not stored, and `spend` marks them as used.
 */
function cacheOf({ expiryOf }: Requests): CacheProvider {
  return {
    async saveAsync(_key, value) {
      return { value, createdAt: Date.now() }
    },
    async getAsync(requestId) {
      const expiry = expiryOf(requestId)
      return expiry && new Date(expiry.getTime() - attemptLifetimeMs).toISOString()
    },
    async removeAsync() {
      return null
    },
  }
}

const noRequests: Requests = { expiryOf: () => null }

function serviceProvider(
  settings: SamlProviderSettings,
  { requests = noRequests, newId }: { requests?: Requests; newId?: () => string } = {},
): SAML {
  return new SAML({
    issuer: settings.spEntityId,
    audience: settings.spEntityId,
    callbackUrl: settings.acsUrl,
    entryPoint: settings.ssoUrl,
    idpCert: settings.certificate,
    idpIssuer: settings.entityId,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    // Requests are not signed. This setting is the minimum if they are signed in the future, as for responses.
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: attemptLifetimeMs,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    // No way of signing in is requested. If one were requested, an identity provider that uses another way (for example a
    // passkey) would refuse.
    disableRequestedAuthnContext: true,
    cacheProvider: cacheOf(requests),
    ...(newId && { generateUniqueId: newId }),
  })
}
