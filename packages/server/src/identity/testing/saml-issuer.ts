import { randomUUID } from 'node:crypto'
import { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'
import { createSelfSignedCertificate } from './self-signed-certificate.ts'

// The XML schema of requests is not checked here, because the library under test creates them.
setSchemaValidator({ validate: async () => 'not checked' })

const ENTITY_ID = 'https://idp.example/metadata'
const SSO_URL = 'https://idp.example/sso'
const MINUTE_MS = 60_000
const AUTHN_STATEMENT =
  '<saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="{AssertionID}"><saml:AuthnContext>' +
  '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>' +
  '</saml:AuthnContext></saml:AuthnStatement>'

/** The content of a SAML response. If a field is `undefined`, the response does not contain the attribute of that name. */
export type SamlAnswer = {
  nameId: string
  nameIdFormat: string
  issuer: string
  assertionId: string
  audience: string
  recipient: string | undefined
  responseInResponseTo: string | undefined
  inResponseTo: string | undefined
  notBefore: Date
  notOnOrAfter: Date
  confirmedUntil: Date | undefined
  attributes: Record<string, string>
  /** Changes the XML before it is signed. */
  edit: (xml: string) => string
}

/** The identity provider of a tenant. It uses a real SAML implementation. */
export type SamlIssuer = {
  entityId: string
  ssoUrl: string
  certificate: string
  /** Answers the SAML request in a redirect URL. Returns the SAML response in base64. Its assertion is signed. */
  answer(requestUrl: string, spMetadata: string, changes?: Partial<SamlAnswer>): Promise<string>
  /** Like `answer`, but the response around the assertion is signed too. */
  answerSignedTwice(requestUrl: string, spMetadata: string): Promise<string>
  /** Like `answer`, but only the response is signed, and not its assertion. */
  answerSignedOutside(requestUrl: string, spMetadata: string, changes?: Partial<SamlAnswer>): Promise<string>
}

/** `signature` is the XML signature algorithm. The digest uses the same hash. */
export function createSamlIssuer(signature = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'): SamlIssuer {
  const { privateKey, certificate } = createSelfSignedCertificate('idp.example')
  const idp = IdentityProvider({
    entityID: ENTITY_ID,
    privateKey,
    signingCert: certificate,
    requestSignatureAlgorithm: signature,
    nameIDFormat: ['urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
    singleSignOnService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: SSO_URL }],
    singleLogoutService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: SSO_URL }],
  })

  async function answer(
    requestUrl: string,
    metadata: string,
    changes: Partial<SamlAnswer>,
    wantMessageSigned: boolean,
  ) {
    const sp = ServiceProvider({ metadata, wantMessageSigned })
    const query = Object.fromEntries(new URL(requestUrl).searchParams)
    const parsed = await idp.parseLoginRequest(sp, 'redirect', { query })
    const request = parsed.extract.request as ParsedRequest
    const says: SamlAnswer = { ...truthfulAnswer(request, sp.entityMeta.getEntityID()), ...changes }
    const { context } = await idp.createLoginResponse(sp, { extract: { request } }, 'post', {}, () => ({
      id: request.id,
      context: says.edit(render(says)),
    }))
    return context
  }

  return {
    entityId: ENTITY_ID,
    ssoUrl: SSO_URL,
    certificate,
    answer: (requestUrl, metadata, changes = {}) => answer(requestUrl, metadata, changes, false),
    answerSignedTwice: (requestUrl, metadata) => answer(requestUrl, metadata, {}, true),
    answerSignedOutside: (requestUrl, metadata, changes = {}) =>
      answer(
        requestUrl,
        metadata.replace('WantAssertionsSigned="true"', 'WantAssertionsSigned="false"'),
        changes,
        true,
      ),
  }
}

type ParsedRequest = { id: string; assertionConsumerServiceUrl: string }

function truthfulAnswer(request: ParsedRequest, audience: string): SamlAnswer {
  return {
    nameId: 'ada@example.com',
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    issuer: ENTITY_ID,
    assertionId: `_${randomUUID()}`,
    audience,
    recipient: request.assertionConsumerServiceUrl,
    responseInResponseTo: request.id,
    inResponseTo: request.id,
    notBefore: new Date(Date.now() - MINUTE_MS),
    notOnOrAfter: new Date(Date.now() + 5 * MINUTE_MS),
    confirmedUntil: new Date(Date.now() + 5 * MINUTE_MS),
    attributes: { displayName: 'Ada Lovelace' },
    edit: (xml) => xml,
  }
}

function render(says: SamlAnswer): string {
  const template = SamlLib.defaultLoginResponseTemplate.context
    .replace('{AuthnStatement}', AUTHN_STATEMENT)
    .replace('{AttributeStatement}', renderAttributes(says.attributes))
    .replace('{InResponseTo}', '{ResponseInResponseTo}')
  return SamlLib.replaceTagsByValue(template, {
    ID: `_${randomUUID()}`,
    AssertionID: says.assertionId,
    IssueInstant: new Date().toISOString(),
    Destination: says.recipient,
    ResponseInResponseTo: says.responseInResponseTo,
    InResponseTo: says.inResponseTo,
    Issuer: says.issuer,
    StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    NameIDFormat: says.nameIdFormat,
    NameID: says.nameId,
    SubjectConfirmationDataNotOnOrAfter: says.confirmedUntil?.toISOString(),
    SubjectRecipient: says.recipient,
    ConditionsNotBefore: says.notBefore.toISOString(),
    ConditionsNotOnOrAfter: says.notOnOrAfter.toISOString(),
    Audience: says.audience,
  })
}

function renderAttributes(attributes: Record<string, string>): string {
  const rendered = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue xsi:type="xs:string">${value}</saml:AttributeValue></saml:Attribute>`,
  )
  return rendered.length > 0 ? `<saml:AttributeStatement>${rendered.join('')}</saml:AttributeStatement>` : ''
}
