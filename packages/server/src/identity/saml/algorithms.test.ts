import { describe, expect, it } from 'vitest'
import { algorithmFault } from './algorithms.ts'

const more = 'http://www.w3.org/2001/04/xmldsig-more#'
const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
const rsaSha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
const strong = { signature: `${more}rsa-sha256`, digest: 'http://www.w3.org/2001/04/xmlenc#sha256' }

const xmlOf = ({ signature, digest } = strong) =>
  `<ds:SignedInfo><ds:SignatureMethod Algorithm="${signature}"/><ds:Reference><ds:DigestMethod Algorithm="${digest}"/></ds:Reference></ds:SignedInfo>`

describe('signatures and digests of SAML responses', () => {
  it.each([
    ['RSA with SHA-256', strong],
    ['RSA with SHA-512', { signature: `${more}rsa-sha512`, digest: 'http://www.w3.org/2001/04/xmlenc#sha512' }],
  ])('%s is strong', (_name, algorithms) => expect(algorithmFault(xmlOf(algorithms))).toBeNull())

  it.each([
    ['RSA with SHA-1', { ...strong, signature: rsaSha1 }],
    ['a SHA-1 digest', { ...strong, digest: sha1 }],
    ['DSA with SHA-1', { ...strong, signature: 'http://www.w3.org/2000/09/xmldsig#dsa-sha1' }],
    ['HMAC', { ...strong, signature: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' }],
    ['RSA with MD5', { ...strong, signature: `${more}rsa-md5` }],
    ['RSA with RIPEMD-160', { ...strong, signature: `${more}rsa-ripemd160` }],
  ])('%s is weak', (_name, algorithms) => {
    expect(algorithmFault(xmlOf(algorithms))).toMatch(/^the SAML response is signed with a weak algorithm, .*; use /)
  })

  it.each([
    ['ECDSA', { ...strong, signature: `${more}ecdsa-sha256` }],
    ['RSA-PSS with SHA-512', { ...strong, signature: 'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1' }],
    ['RSA with SHA-384', { ...strong, signature: `${more}rsa-sha384` }],
    ['SHA-384', { ...strong, digest: `${more}sha384` }],
    ['SHA3', { ...strong, digest: 'http://www.w3.org/2007/05/xmldsig-more#sha3-256' }],
    ['no algorithm', { ...strong, signature: '' }],
    ['an algorithm that only ends well', { ...strong, digest: `${sha1} ${strong.digest}` }],
  ])('%s is not supported, and is not called weak', (_name, algorithms) => {
    expect(algorithmFault(xmlOf(algorithms))).toMatch(/with an algorithm that Mandate does not support, .*; use /)
  })

  it.each([
    ['one weak among strong ones', xmlOf() + xmlOf({ ...strong, digest: sha1 })],
    ['another prefix', `<x:SignatureMethod Algorithm="${rsaSha1}"/>`],
    ['no prefix, and single quotes', `<SignatureMethod Algorithm='${rsaSha1}'></SignatureMethod>`],
    ['a character reference', `<DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha&#49;"/>`],
    ['a second attribute before it', `<DigestMethod a="1" Algorithm="${sha1}"/>`],
    ['a second attribute after it', `<DigestMethod Algorithm="${strong.digest}" b:Algorithm="${sha1}"/>`],
    ['a child', `<DigestMethod Algorithm="${strong.digest}"><DigestMethod>${sha1}</DigestMethod></DigestMethod>`],
    ['a name that is part of another', `<SignatureMethods Algorithm="${rsaSha1}"/>`],
    ['no attribute', '<DigestMethod/>'],
  ])('with %s it is refused', (_name, xml) => expect(algorithmFault(xml)).toMatch(/^the SAML response /))

  it('an element with a closing tag or line breaks is accepted', () => {
    const xml = `<SignatureMethod\n  Algorithm='${strong.signature}' ></SignatureMethod >`
    expect(algorithmFault(xml)).toBeNull()
  })
})
