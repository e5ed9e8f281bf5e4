import { randomUUID } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import type { SamlProviderSettings } from '../port.ts'
import { createSelfSignedCertificate } from './self-signed-certificate.ts'

const keys = createSelfSignedCertificate('idp.example')
const minuteMs = 60_000

/** What differs between the responses of identity providers. */
export interface SamlShape {
  declaration: string
  /** The prefixes of the XML namespaces. An empty prefix makes the namespace the default one. */
  prefixes: { assertion: string; protocol: string; signature: string }
  /** White space between elements and around texts. */
  space: string
  signed: readonly ('Assertion' | 'Response')[]
  canonicalization: string
  transform: string
  inclusivePrefixes: readonly string[]
  signatureMethod: string
  digestMethod: string
  time: (ms: number) => string
  nameIdFormat: string
  emailAttribute: string
  nameFormat: string
  /** Writes the address to which the response is sent. */
  address: (url: string) => string
  audiencesBefore: readonly string[]
  /** An element of the assertion after its other elements. `a:` is the prefix of the assertion. */
  last: string
}

export function providerOfShapes(): SamlProviderSettings {
  const providerId = `p${randomUUID()}`
  const base = `https://mandate.example/api/v1/auth/saml/${providerId}`
  return {
    tenantId: randomUUID(),
    providerId,
    entityId: 'https://idp.example/metadata',
    ssoUrl: 'https://idp.example/sso',
    certificates: [keys.certificate],
    spEntityId: `${base}/metadata`,
    acsUrl: `${base}/acs`,
  }
}

/** Returns a signed response with the name id `G-1` and the address `ada@work.example`, as XML. */
export function writeResponse(shape: SamlShape, provider: SamlProviderSettings, requestId: string): string {
  const { assertion, protocol } = shape.prefixes
  const namespaces = { a: 'urn:oasis:names:tc:SAML:2.0:assertion', p: 'urn:oasis:names:tc:SAML:2.0:protocol' }
  const declare = (prefix: string, uri: string) => `${prefix ? `xmlns:${prefix}` : 'xmlns'}="${uri}"`
  const of = (part: 'a' | 'p') => declare(part === 'a' ? assertion : protocol, namespaces[part])
  const now = Date.now()
  const [before, at, until] = [now - minuteMs, now, now + 5 * minuteMs].map(shape.time)
  const acs = shape.address(provider.acsUrl)
  const ids = `ID="_${randomUUID()}" Version="2.0" IssueInstant="${at}"`
  const audiences = [...shape.audiencesBefore, provider.spEntityId].map((uri) => `<a:Audience>~${uri}~</a:Audience>~`)
  const xml = `<p:Response ${of('p')} xmlns:xs="http://www.w3.org/2001/XMLSchema" ${ids} Destination="${acs}" InResponseTo="${requestId}">~
<a:Issuer ${of('a')}>~${provider.entityId}~</a:Issuer>~
<p:Status>~<p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>~</p:Status>~
<a:Assertion ${of('a')} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ${ids.replace('_', '_a')}>~
<a:Issuer>~${provider.entityId}~</a:Issuer>~
<a:Subject>~<a:NameID Format="${shape.nameIdFormat}">~G-1~</a:NameID>~
<a:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">~
<a:SubjectConfirmationData InResponseTo="${requestId}" Recipient="${acs}" NotOnOrAfter="${until}"/>~
</a:SubjectConfirmation>~</a:Subject>~
<a:Conditions NotBefore="${before}" NotOnOrAfter="${until}">~
<a:AudienceRestriction>~${audiences.join('')}</a:AudienceRestriction>~</a:Conditions>~
<a:AttributeStatement>~<a:Attribute Name="${shape.emailAttribute}" NameFormat="${shape.nameFormat}">~
<a:AttributeValue xsi:type="xs:string">~ada@work.example~</a:AttributeValue>~</a:Attribute>~</a:AttributeStatement>~
${shape.last}</a:Assertion>~</p:Response>`
  const written = xml
    .replaceAll('\n', '')
    .replaceAll('~', shape.space)
    .replaceAll(/(<\/?)a:/g, assertion ? `$1${assertion}:` : '$1')
    .replaceAll(/(<\/?)p:/g, protocol ? `$1${protocol}:` : '$1')
  return shape.declaration + shape.signed.reduce((text, element) => sign(text, element, shape), written)
}

function sign(xml: string, element: 'Assertion' | 'Response', shape: SamlShape): string {
  const signature = new SignedXml({
    privateKey: keys.privateKey,
    publicCert: keys.certificate,
    getKeyInfoContent: SignedXml.getKeyInfoContent,
    canonicalizationAlgorithm: shape.canonicalization as never,
    signatureAlgorithm: shape.signatureMethod as never,
  })
  const response = "/*[local-name(.)='Response']"
  const xpath = element === 'Response' ? response : `${response}/*[local-name(.)='Assertion']`
  signature.addReference({
    xpath,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', shape.transform],
    digestAlgorithm: shape.digestMethod,
    inclusiveNamespacesPrefixList: [...shape.inclusivePrefixes],
  })
  signature.computeSignature(xml, {
    ...(shape.prefixes.signature && { prefix: shape.prefixes.signature }),
    location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
  })
  return signature.getSignedXml()
}
