import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { IdentityFailure } from '../failure.ts'
import type { Db, SamlIdentity, SamlProviderSettings, SamlSignIn } from '../port.ts'
import { usesStrongAlgorithms } from './algorithms.ts'
import { readAssertion, type SignedAssertion } from './assertion.ts'
import { readPerson } from './person.ts'
import { createRequestStore, REQUEST_LIFETIME_MS, rememberAssertion, takeRequest } from './request-store.ts'

const CLOCK_SKEW_MS = 60_000
/** Base64 characters; real responses are some 5,000 to 20,000. */
const RESPONSE_MAX = 256 * 1024
/** The XML parser's time grows with the square of these: 50,000 of them take minutes. Real responses have some hundred. */
const ANGLE_BRACKETS_MAX = 2_000

/** Service provider side of SAML web sign-in: redirect binding out, POST binding in, one set of settings per tenant. */
export function createSamlSignIn(now: () => Date): SamlSignIn {
  return {
    async startUrl(db, settings, relayState) {
      let requestId = ''
      const store = createRequestStore(db, settings, now())
      const saml = serviceProvider(settings, {
        ...store,
        saveAsync(id, value) {
          requestId = id
          return store.saveAsync(id, value)
        },
      })
      const url = await saml.getAuthorizeUrlAsync(relayState, undefined, {})
      return { url, requestId }
    },
    finish: (db, settings, input) => finish(db, settings, input.SAMLResponse, now()),
    metadata: (settings) => serviceProvider(settings).generateServiceProviderMetadata(null),
  }
}

async function finish(db: Db, settings: SamlProviderSettings, response: string, now: Date): Promise<SamlIdentity> {
  refuseUnreadable(response)
  let databaseError: unknown
  const watchedDb: Db = {
    query: (sqlText, values) =>
      db.query(sqlText, values).catch((error) => {
        databaseError = error
        throw error
      }),
  }
  const saml = serviceProvider(settings, createRequestStore(watchedDb, settings, now))
  // The library answers a forged, stale or misdirected response with any kind of error; all of them prove nothing.
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response }).catch((cause) => {
    throw databaseError ?? new IdentityFailure('refused', 'the SAML response is not valid', { cause })
  })
  const assertion = readAssertion(profile?.getAssertion?.())
  if (!assertion) throw new IdentityFailure('refused', 'the SAML response holds no complete assertion')
  const confirmation = confirm(assertion, settings, now)
  if (!(await takeRequest(db, settings, confirmation.inResponseTo, now))) {
    throw new IdentityFailure('refused', 'the SAML request is unknown, answered or expired')
  }
  const expiresAt = new Date(confirmation.notOnOrAfter.getTime() + CLOCK_SKEW_MS)
  if (!(await rememberAssertion(db, settings, assertion.id, expiresAt))) {
    throw new IdentityFailure('refused', 'the SAML assertion was used before')
  }
  return { ...readPerson(assertion), issuer: federatedIssuer(settings), requestId: confirmation.inResponseTo }
}

/**
 * Our own provider, not the entity id, is the issuer of record: two tenants may name the same entity id, each with a key
 * of its own, and must never reach each other's accounts.
 */
function federatedIssuer(settings: SamlProviderSettings): string {
  return `saml:${settings.tenantId}:${settings.providerId}`
}

/** What the library leaves unchecked, judged by the signed assertion alone and never by the response around it. */
function confirm(assertion: SignedAssertion, settings: SamlProviderSettings, now: Date) {
  if (assertion.issuer !== settings.entityId) throw new IdentityFailure('refused', 'another issuer’s SAML assertion')
  const confirmation = assertion.confirmations.find(
    ({ recipient, notOnOrAfter }) =>
      recipient === settings.acsUrl && notOnOrAfter.getTime() + CLOCK_SKEW_MS > now.getTime(),
  )
  if (!confirmation) throw new IdentityFailure('refused', 'the SAML assertion is not confirmed for this recipient')
  return confirmation
}

/** Comments, document types and processing instructions have no place in a response and a long history of misuse. */
function refuseUnreadable(response: string): void {
  if (response.length > RESPONSE_MAX) throw new IdentityFailure('refused', 'the SAML response is too long')
  const xml = Buffer.from(response, 'base64').toString('utf8')
  if (/<!|<\?(?!xml\s)/.test(xml)) throw new IdentityFailure('refused', 'the SAML response holds forbidden markup')
  if (xml.split('<').length > ANGLE_BRACKETS_MAX)
    throw new IdentityFailure('refused', 'the SAML response has too many elements')
  if (!usesStrongAlgorithms(xml))
    throw new IdentityFailure('refused', 'the SAML response is signed with a weak algorithm')
}

function serviceProvider(settings: SamlProviderSettings, cacheProvider?: SAML['cacheProvider']): SAML {
  return new SAML({
    issuer: settings.spEntityId,
    audience: settings.spEntityId,
    callbackUrl: settings.acsUrl,
    entryPoint: settings.ssoUrl,
    idpCert: settings.certificate,
    idpIssuer: settings.entityId,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    // Our requests are not signed; were they, then no weaker than what is accepted.
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: REQUEST_LIFETIME_MS,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    // Asking for one way of signing in makes identity providers with another (a passkey, say) refuse.
    disableRequestedAuthnContext: true,
    ...(cacheProvider ? { cacheProvider } : {}),
  })
}
