import { randomBytes } from 'node:crypto'
import { DOMParser, XMLSerializer } from '@xmldom/xmldom'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAttempts } from '../attempts.ts'
import { createIdentityDatabase, type IdentityDatabase } from '../testing/identity-database.ts'
import { providerOfShapes, type SamlShape, writeResponse } from '../testing/saml-shapes.ts'
import { digestMethods, signatureMethods } from './algorithms.ts'
import { createSamlSignIn } from './sign-in.ts'

const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const saml = createSamlSignIn(createAttempts(randomBytes(32)), () => new Date())
let database: IdentityDatabase

beforeAll(async () => {
  database = await createIdentityDatabase()
})
afterAll(() => database.drop())

const iso = (ms: number) => new Date(ms).toISOString()
const shapes = fc.record<SamlShape>({
  declaration: fc.constantFrom(
    '',
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n',
    "\uFEFF<?xml version='1.0'?>",
  ),
  prefixes: fc.constantFrom(
    { assertion: 'saml', protocol: 'samlp', signature: 'dsig' },
    { assertion: 'saml2', protocol: 'saml2p', signature: 'ds' },
    { assertion: '', protocol: 'samlp', signature: '' },
    { assertion: '', protocol: '', signature: '' },
    { assertion: 'ns1', protocol: 'ns0', signature: 'ns2' },
  ),
  space: fc.constantFrom('', '\n   ', '\r\n\t'),
  signed: fc.constantFrom<SamlShape['signed'][]>(['Assertion'], ['Response'], ['Assertion', 'Response']),
  canonicalization: fc.constantFrom(exclusive, inclusive, `${exclusive}WithComments`),
  transform: fc.constantFrom(exclusive, inclusive),
  inclusivePrefixes: fc.constantFrom([], ['xs'], ['xs', 'xsi']),
  signatureMethod: fc.constantFrom(...Object.keys(signatureMethods)),
  digestMethod: fc.constantFrom(...digestMethods),
  time: fc.constantFrom(
    iso,
    (ms) => iso(ms).replace(/\.\d+/, ''),
    (ms) => iso(ms).replace('Z', '4567Z'),
    (ms) => iso(ms).replace('Z', ''),
    (ms) => iso(ms).replace('Z', '+00:00'),
    (ms) => iso(ms + 9 * 3_600_000).replace('Z', '+09:00'),
  ),
  nameIdFormat: fc.constantFrom(
    'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  ),
  emailAttribute: fc.constantFrom(
    'email',
    'Email',
    'urn:oid:1.2.840.113549.1.9.1',
    `${claims}/emailaddress`,
    'user.email',
  ),
  nameFormat: fc.constantFrom(
    'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
    'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
    'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified',
  ),
  address: fc.constantFrom(
    (url) => url,
    (url) => url.replace('.example/', '.example:443/'),
    (url) => url.replace('mandate.example', 'Mandate.Example'),
  ),
  audiencesBefore: fc.constantFrom([], ['https://other.example']),
  last: fc.constantFrom(
    '',
    '<a:AttributeStatement/>',
    '<a:AuthnStatement AuthnInstant="2026-01-01T00:00:00Z"/><a:AttributeStatement/>',
    '<a:Advice><a:Assertion ID="_x"><a:Subject><a:NameID>eve@evil.example</a:NameID></a:Subject></a:Assertion></a:Advice>',
  ),
})

async function finish(shape: SamlShape, change: (xml: string) => string = (xml) => xml) {
  const provider = providerOfShapes()
  const { requestId } = await saml.startUrl(provider, 'relay')
  const xml = change(writeResponse(shape, provider, requestId))
  return await saml.finish(database.pool, provider, { SAMLResponse: Buffer.from(xml).toString('base64') })
}

const ada = { subject: 'G-1', email: 'ada@work.example' }

it('a response in any shape of a provider signs its person in', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      expect(await finish(shape)).toMatchObject(ada)
    }),
  )
})

it('a response whose signed parts were copied, changed and moved signs in nobody else', async () => {
  let refused = 0
  await fc.assert(
    fc.asyncProperty(shapes, surgeries, async (shape, surgery) => {
      const outcome = await finish(shape, (xml) => operate(xml, surgery)).catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'IdentityFailure', kind: 'refused' })
        refused++
        return ada
      })
      expect(outcome).toMatchObject(ada)
    }),
  )
  expect(refused).toBeGreaterThan(50)
})

/** A number chooses one of the elements of the changed response. */
const surgeries = fc.record({
  part: fc.constantFrom('Assertion', 'Response'),
  id: fc.constantFrom('kept', 'new', 'none', 'Id', 'id'),
  signatures: fc.constantFrom('both', 'forged', 'genuine', 'none'),
  forgedIn: fc.option(fc.nat()),
  genuineIn: fc.option(fc.nat()),
  wrapper: fc.constantFrom(null, 'Object', 'Extensions'),
})

/** Puts a forged copy of a part into the response, and moves the genuine part. */
function operate(xml: string, surgery: typeof surgeries extends fc.Arbitrary<infer S> ? S : never): string {
  const document = new DOMParser().parseFromString(xml, 'text/xml')
  const root = document.documentElement
  const named = (element: Element, name: string) => elementsIn(element).filter(({ localName }) => localName === name)
  const genuine = surgery.part === 'Response' ? root : (named(root, 'Assertion')[0] as Element)
  const forged = genuine.cloneNode(true) as Element
  for (const nameId of named(forged, 'NameID')) nameId.textContent = 'eve@evil.example'
  for (const value of named(forged, 'AttributeValue')) value.textContent = 'eve@evil.example'
  if (surgery.id !== 'kept') forged.removeAttribute('ID')
  if (surgery.id === 'new') forged.setAttribute('ID', '_forged')
  if (surgery.id === 'Id' || surgery.id === 'id') forged.setAttribute(surgery.id, genuine.getAttribute('ID') ?? '')
  if (!['both', 'forged'].includes(surgery.signatures)) removeSignature(forged)
  if (!['both', 'genuine'].includes(surgery.signatures)) removeSignature(genuine)
  if (genuine === root || surgery.forgedIn === null) genuine.parentNode?.replaceChild(forged, genuine)
  else elementAt(root, surgery.forgedIn).appendChild(forged)
  if (surgery.genuineIn !== null) {
    genuine.parentNode?.removeChild(genuine)
    const into = elementAt(document.documentElement, surgery.genuineIn)
    const wrapper = surgery.wrapper && document.createElement(surgery.wrapper)
    into.insertBefore(wrapper ?? genuine, into.firstChild)
    wrapper?.appendChild(genuine)
  }
  return new XMLSerializer().serializeToString(document)
}

const elementsIn = (element: Element): Element[] => [element, ...Array.from(element.getElementsByTagName('*'))]

function elementAt(root: Element, chosen: number): Element {
  const all = elementsIn(root)
  return all[chosen % all.length] as Element
}

function removeSignature(element: Element): void {
  const signature = Array.from(element.childNodes).find((child) => (child as Element).localName === 'Signature')
  if (signature) element.removeChild(signature)
}
