import type { CacheProvider, SAML } from '@node-saml/node-saml'
import { createLruCache, type LRUCache } from '../../memory/lru-cache.ts'
import { type Attempts, attemptLifetimeMs, spend } from '../attempts.ts'
import { IdentityFailure } from '../failure.ts'
import type { Db, SamlIdentity, SamlProviderSettings, SamlSignIn } from '../port.ts'
import { algorithmFault } from './algorithms.ts'
import { readAssertion, type SignedAssertion } from './assertion.ts'
import { rememberAssertion } from './assertions-seen.ts'
import { CLOCK_SKEW_MS, conditionFault } from './conditions.ts'
import { areGenuine, withoutReferences } from './genuine-signature.ts'
import { readPerson } from './person.ts'
import { printable, printableList } from './printable.ts'
import { readShape, type XmlShape } from './read-shape.ts'

/** Maximum number of base64 characters in a response. Real responses have about 5,000 to 20,000. */
const RESPONSE_MAX = 128 * 1024
/**
 * Maximum number of SAML responses that are accepted for one SAML sign-in request. Parsing a signed response takes up to 90 ms.
 * Normally one response arrives, and another one each time the person reloads the page.
 */
const ANSWERS_MAX = 10

/**
 * Handles SAML sign-ins as the service provider. Requests use the redirect binding, and responses use the POST binding. Each
 * tenant has its own settings.
 */
export function createSamlSignIn(attempts: Attempts, now: () => Date): SamlSignIn {
  const answers = createLruCache<number>(10_000)
  return {
    async startUrl(settings, relayState) {
      const requestId = `_${attempts.begin(contextOf(settings), now())}`
      const saml = await serviceProvider(settings, { newId: () => requestId })
      return { url: await saml.getAuthorizeUrlAsync(relayState, undefined, {}), requestId }
    },
    async finish(db, settings, { SAMLResponse }) {
      const requests = requestsOf(attempts, settings, now())
      const { signedInfos, root } = countAnswer(answers, requests, SAMLResponse)
      if (signedInfos.length === 0) throw new IdentityFailure('refused', 'the SAML response has no signature')
      if (!areGenuine(signedInfos, settings.certificates)) {
        throw new IdentityFailure('refused', 'the SAML response is not signed by the provider')
      }
      const destination = textOf(root.attributes.get('Destination') ?? '')
      if (destination && !isSameAddress(destination, settings.acsUrl)) {
        throw new IdentityFailure(
          'refused',
          `the SAML response is for the Destination ${printable(destination)}, and not for ${settings.acsUrl}`,
        )
      }
      return await finish(db, settings, requests, SAMLResponse, now())
    },
    async metadata(settings) {
      const saml = await serviceProvider(settings)
      return saml.generateServiceProviderMetadata(null)
    },
  }
}

/**
 * The SAML sign-in requests that this server has sent to one identity provider. Every SAML response must answer one of them.
 */
interface Requests {
  /**
   * Returns the time at which a sign-in request expires. Returns null if the id is unknown or belongs to another identity
   * provider, or if the request has expired.
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
 * Checks a SAML response before it is parsed, and counts it. Rejects a response that is malformed or too large, that reports a
 * failure, that is encrypted, or whose signature algorithm is not allowed. Rejects it too if its sign-in request is unknown or
 * has expired, or already has the maximum number of responses.
 */
function countAnswer(answers: LRUCache<string, number>, requests: Requests, response: string): XmlShape {
  const shape = readableShape(response)
  const requestId = shape.root.attributes.get('InResponseTo') ?? ''
  if (!requests.expiryOf(requestId)) {
    throw new IdentityFailure('refused', 'the SAML sign-in request is unknown or expired; start the sign-in again')
  }
  const count = (answers.get(requestId) ?? 0) + 1
  if (count > ANSWERS_MAX) {
    throw new IdentityFailure(
      'refused',
      `the SAML sign-in request got more than ${ANSWERS_MAX} responses; start the sign-in again`,
    )
  }
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
  const saml = await serviceProvider(settings, { requests, wantAssertionsSigned: false })
  // The library throws different errors for forged, expired and misdirected responses. All of them mean that the response is
  // not valid.
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response }).catch((cause) => {
    throw new IdentityFailure('refused', 'the SAML response is not valid', { cause })
  })
  const assertion = readAssertion(profile?.getAssertion?.())
  const confirmation = confirm(assertion, settings, now)
  const person = readPerson(assertion)
  const requestExpiry = requests.expiryOf(confirmation.inResponseTo)
  if (!requestExpiry || !(await spend(db, confirmation.inResponseTo, requestExpiry))) {
    throw new IdentityFailure(
      'refused',
      'the SAML sign-in request is unknown, expired or already used; start the sign-in again',
    )
  }
  const expiresAt = new Date(confirmation.notOnOrAfter.getTime() + CLOCK_SKEW_MS)
  if (!(await rememberAssertion(db, settings, assertion.id, expiresAt))) {
    throw new IdentityFailure('refused', 'the SAML assertion was already used; start the sign-in again')
  }
  return { ...person, issuer: federatedIssuer(settings), requestId: confirmation.inResponseTo }
}

/**
 * Returns the issuer under which a person is linked to an account. It consists of the ids of the tenant and of its identity
 * provider. The entity id is not used: two tenants may configure the same entity id with different keys, and a person of one
 * tenant could then sign in to an account of the other tenant.
 */
function federatedIssuer(settings: SamlProviderSettings): string {
  return `saml:${settings.tenantId}:${settings.providerId}`
}

/**
 * Makes the checks that the SAML library does not make. Reads only the signed assertion, and never the unsigned response around
 * it.
 */
function confirm(assertion: SignedAssertion, settings: SamlProviderSettings, now: Date) {
  if (assertion.issuer !== settings.entityId)
    throw new IdentityFailure(
      'refused',
      `the SAML assertion is from the issuer ${printable(assertion.issuer)}, and not from ${settings.entityId}`,
    )
  const fault = conditionFault(assertion.conditions, settings.spEntityId, now)
  if (fault) throw new IdentityFailure('refused', fault)
  const confirmation = assertion.confirmations.find(
    ({ recipient, notOnOrAfter }) =>
      isSameAddress(recipient, settings.acsUrl) && notOnOrAfter.getTime() + CLOCK_SKEW_MS > now.getTime(),
  )
  if (!confirmation) {
    const faults = [
      ...assertion.confirmationFaults,
      ...assertion.confirmations.map(({ recipient, notOnOrAfter }) =>
        isSameAddress(recipient, settings.acsUrl)
          ? `it expired at ${notOnOrAfter.toISOString()}`
          : `its Recipient is ${recipient}`,
      ),
    ]
    throw new IdentityFailure(
      'refused',
      `the SAML assertion has no unexpired SubjectConfirmation with the Recipient ${settings.acsUrl}: ${printableList(faults)}`,
    )
  }
  return confirmation
}

/** The value of an attribute as the document has it, without its character references. A reference to no character stays. */
function textOf(value: string): string {
  try {
    return withoutReferences(value)
  } catch {
    return value
  }
}

/** Compares two addresses. Some providers add the default port, or write the host in capital letters. */
const isSameAddress = (one: string, other: string) =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href

function readableShape(response: string): XmlShape {
  if (response.length > RESPONSE_MAX) throw new IdentityFailure('refused', 'the SAML response is too long')
  const xml = Buffer.from(response, 'base64').toString('utf8')
  const shape = readShape(xml)
  const fault = outcomeFault(shape) ?? algorithmFault(xml)
  if (fault) throw new IdentityFailure('refused', fault)
  return shape
}

/** Returns why a response has no assertion that Mandate can read. Nothing here is signed, so the text is only for the log. */
function outcomeFault({ status, encrypted }: XmlShape): string | null {
  const codes = status.codes.map((code) => code.slice(code.lastIndexOf(':') + 1))
  if (codes.length > 0 && codes[0] !== 'Success') {
    const message = status.message && `: ${printable(status.message)}`
    return `the identity provider reports the status ${printableList(codes)}${message}`
  }
  return encrypted && `the SAML ${encrypted} is encrypted, which Mandate does not support`
}

/**
 * The request cache that the SAML library requires. It stores nothing. The expiry of a request is part of the request id, and
 * `spend` makes sure that each request is used only once.
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

async function serviceProvider(
  settings: SamlProviderSettings,
  {
    requests = noRequests,
    newId,
    wantAssertionsSigned = true,
  }: { requests?: Requests; newId?: () => string; wantAssertionsSigned?: boolean } = {},
): Promise<SAML> {
  // Loaded by the first SAML sign-in: the library takes a twentieth of the time of a start, and most servers never use it.
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml')
  return new SAML({
    issuer: settings.spEntityId,
    // `confirm` checks the audience and the times. The checks of the library are off (-1 checks no times), because it compares audiences
    // with the white space around them, and reads times without a zone in the zone of the server.
    audience: false,
    acceptedClockSkewMs: -1,
    callbackUrl: settings.acsUrl,
    entryPoint: settings.ssoUrl,
    idpCert: [...settings.certificates],
    idpIssuer: settings.entityId,
    // The metadata asks for signed assertions. A response that is signed as a whole is accepted too: the library reads the
    // assertion from the signed content, and needs a signature of one of the two.
    wantAssertionsSigned,
    wantAuthnResponseSigned: false,
    // The server does not sign its SAML requests, so these algorithms are not used today. They replace the library's default
    // for signed requests, which is the weak algorithm SHA-1.
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: attemptLifetimeMs,
    // Requests do not ask for a sign-in method. If they asked for one, an identity provider that uses another method (for
    // example a passkey) would refuse the sign-in.
    disableRequestedAuthnContext: true,
    cacheProvider: cacheOf(requests),
    ...(newId && { generateUniqueId: newId }),
  })
}
