import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SignedXml } from 'xml-crypto'
import { createSelfSignedCertificate } from '../testing/self-signed-certificate.ts'
import { areGenuine } from './genuine-signature.ts'
import { readShape } from './read-shape.ts'

const { privateKey, certificate } = createSelfSignedCertificate('idp.example')
const other = createSelfSignedCertificate('idp.example')
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'

/** A response with a signed assertion and with namespaces declared at several elements. */
function signed(canonicalization: string, prefix: string, signatureAlgorithm: string): string {
  const xml = `<samlp:Response xmlns:samlp="urn:p" xmlns:xs='urn:"xs"' ID="_r">
  <Assertion xmlns="urn:a" xmlns:unused="urn:u&amp;v" ID="_a"><Issuer>idp</Issuer></Assertion></samlp:Response>`
  const signature = new SignedXml({
    privateKey,
    canonicalizationAlgorithm: canonicalization as never,
    signatureAlgorithm: signatureAlgorithm as never,
  })
  signature.addReference({
    xpath: "//*[local-name(.)='Assertion']",
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  signature.computeSignature(xml, {
    ...(prefix && { prefix }),
    location: { reference: "//*[local-name(.)='Issuer']", action: 'after' },
  })
  return signature.getSignedXml()
}

const judge = (xml: string, ...by: string[]) =>
  areGenuine(readShape(xml)?.signedInfos ?? [], by.length === 0 ? [certificate] : by)

describe('a signature of the provider', () => {
  it.each(
    [exclusive, inclusive].flatMap((canonicalization) =>
      ['', 'ds'].flatMap((prefix) =>
        ['rsa-sha256', 'rsa-sha512'].map((method) => [canonicalization, prefix, method] as const),
      ),
    ),
  )('is verified: canonicalization %s, prefix "%s", %s', (canonicalization, prefix, method) => {
    const xml = signed(canonicalization, prefix, `http://www.w3.org/2001/04/xmldsig-more#${method}`)
    expect(judge(xml)).toBe(true)
    expect(judge(xml.replaceAll('\n', '\r\n'))).toBe(true)
    expect(judge(xml, other.certificate)).toBe(false)
    expect(judge(xml, other.certificate, certificate)).toBe(true)
    expect(judge(xml.replace(/DigestValue>..../, 'DigestValue>AAAA'))).toBe(false)
    expect(judge(xml.replace(/SignatureValue>..../, 'SignatureValue>AAAA'))).toBe(false)
    expect(judge(xml.replace('ID="_a"', 'ID="_a" x="unsigned, and left to the library"'))).toBe(true)
  })

  it('is verified with any white space in its value, literally or as character references', () => {
    const xml = signed(exclusive, 'ds', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
    const references = [9, 10, 13, 32].flatMap((code) => {
      const hexadecimal = code.toString(16)
      return [
        `&#${code};`,
        `&#0${code};`,
        `&#x${hexadecimal};`,
        `&#x${hexadecimal.toUpperCase()};`,
        `&#x0${hexadecimal};`,
      ]
    })
    const separator = fc
      .array(fc.constantFrom('\t', '\n', '\r', ' ', ...references), { maxLength: 4 })
      .map((parts) => parts.join(''))
    const wrap = (every: number, between: string) =>
      xml.replace(/(<ds:SignatureValue>)([^<]*)/, (_, tag: string, base64: string) => {
        const lines = base64.match(new RegExp(`.{1,${every}}`, 'g')) ?? []
        return `${tag}${between}${lines.join(between)}${between}`
      })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), separator, (every, between) => {
        expect(judge(wrap(every, between))).toBe(true)
        expect(judge(wrap(every, between), other.certificate)).toBe(false)
      }),
    )
    expect(judge(wrap(76, '&#1114112;'))).toBe(false)
    expect(judge(wrap(76, '&#65;'))).toBe(false)
  })

  it.each([
    ['no signature', '<a/>'],
    ['no value', '<a><SignedInfo/></a>'],
    ['no method', '<a><SignedInfo><x/></SignedInfo><SignatureValue>AAAA</SignatureValue></a>'],
    ['a prefix that is declared nowhere', '<a><ds:SignedInfo/><ds:SignatureValue>AAAA</ds:SignatureValue></a>'],
  ])('is not found in a document with %s', (_, xml) => {
    expect(judge(xml)).toBe(false)
  })

  it('is not accepted beside a forged one, nor in a document with more than two signatures', () => {
    const xml = signed(exclusive, 'ds', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
    const [genuine] = readShape(xml)?.signedInfos ?? []
    if (!genuine) throw new Error('nothing was signed')
    expect(areGenuine([genuine, genuine], [certificate])).toBe(true)
    expect(areGenuine([genuine, { ...genuine, signatureValue: 'AAAA' }], [certificate])).toBe(false)
    expect(areGenuine([genuine, genuine, genuine], [certificate])).toBe(false)
  })
})
