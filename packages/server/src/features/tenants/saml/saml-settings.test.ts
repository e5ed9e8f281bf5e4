import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSelfSignedCertificate } from '../../../identity/testing/self-signed-certificate.ts'
import { Refusal } from '../../../refusal.ts'
import {
  applySamlChange,
  certificatesOf,
  normaliseCertificates,
  normaliseProviderId,
  normaliseSsoUrl,
  type SamlChange,
  type SamlSettings,
} from './saml-settings.ts'

const { certificate } = createSelfSignedCertificate('idp.example')

const off: SamlSettings = {
  saml_enabled: false,
  saml_entity_id: '',
  saml_sso_url: '',
  saml_certificate: '',
  saml_email_domain: '',
  saml_provider_id: '',
}
const all = {
  saml_enabled: true,
  saml_entity_id: 'https://idp.example/entity',
  saml_sso_url: 'https://idp.example/sso',
  saml_certificate: certificate,
  saml_email_domain: 'example.com',
  saml_provider_id: 'acme',
}
const on: SamlSettings = applySamlChange(off, all, 'enterprise')

function statusOf(stored: SamlSettings, change: SamlChange, plan: string): number {
  try {
    applySamlChange(stored, change, plan)
    return 200
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.status
    throw refusal
  }
}

describe('saml_provider_id', () => {
  it.each([
    ['acme', 'acme'],
    ['saml.acme', 'acme'],
    ['  saml.acme \n', 'acme'],
    ['\tacme', 'acme'],
    ['aB', 'aB'],
    ['a1', 'a1'],
    ['a.b-c_D9', 'a.b-c_D9'],
    ['saml.saml.x1', 'saml.x1'],
    ['samlx', 'samlx'],
    ['', ''],
    ['   ', ''],
  ])('%j is stored as %j: with or without the prefix, trimmed; blank clears it', (given, stored) => {
    expect(normaliseProviderId(given)).toBe(stored)
  })

  it.each([
    ['saml.x', 'shorter than two characters behind the prefix'],
    ['x', 'shorter than two characters'],
    ['saml.', 'nothing behind the prefix'],
    ['Acme', 'no lowercase letter first'],
    ['1acme', 'no lowercase letter first'],
    ['saml.Acme', 'no lowercase letter first'],
    ['SAML.Acme', 'no lowercase letter first'],
    ['-acme', 'no lowercase letter first'],
    ['acme-', 'no letter or digit last'],
    ['acme.', 'no letter or digit last'],
    ['acme_', 'no letter or digit last'],
    ['ac me', 'a space inside'],
    ['saml. acme', 'a space inside'],
    ['ac/me', 'a character of no kind allowed'],
    ['acmé', 'a letter that is not ASCII'],
    ['acme\u0131', 'a letter that is not ASCII'],
  ])('400 for %j: %s', (given) => {
    expect(() => normaliseProviderId(given)).toThrow(/^saml_provider_id must start with a lowercase letter/)
  })
})

describe('saml_sso_url', () => {
  it.each([
    'https://idp.example/sso?x=1',
    'http://localhost:9000/sso',
    'http://127.0.0.1/sso',
    'http://[::1]:80/sso',
    '',
  ])('%j is taken: https, or http on the loopback', (url) => {
    expect(normaliseSsoUrl(url)).toBe(url)
  })

  it.each([
    'http://idp.example/sso',
    'javascript:alert(1)',
    'idp.example',
    'ftp://localhost/',
    'http://localhost.example/',
  ])('400 for %j', (url) => {
    expect(() => normaliseSsoUrl(url)).toThrow('saml_sso_url must be an https URL')
  })
})

describe('saml_certificate', () => {
  it('an X.509 certificate in PEM form is stored in one format, whatever its line ends', () => {
    const stored = normaliseCertificates(certificate)
    expect(normaliseCertificates(certificate.replaceAll('\n', '\r\n'))).toBe(stored)
    expect(normaliseCertificates(stored)).toBe(stored)
    expect(stored).toMatch(/^-----BEGIN CERTIFICATE-----\n/)
  })

  const body = certificate.replaceAll(/-----[A-Z ]+-----|\n/g, '')
  it.each([
    ['the base64 of a certificate, as in metadata', body],
    ['base64 in indented lines', body.replaceAll(/.{64}/g, '\n        $&')],
    ['PEM on one line', certificate.replaceAll('\n', ' ')],
    ['PEM on one line without spaces', certificate.replaceAll('\n', '')],
    ['PEM in indented lines', certificate.replaceAll('\n', '\n\t    ')],
    ['PEM with the text that OpenSSL writes before it', `subject=CN = idp.example\n${certificate}`],
  ])('%s is stored as PEM', (_, given) => {
    expect(normaliseCertificates(given)).toBe(normaliseCertificates(certificate))
  })

  it('several certificates are stored in their order, each once', () => {
    const { certificate: next } = createSelfSignedCertificate('idp.example')
    const stored = normaliseCertificates(`old:\n${certificate}\nnext:\r\n${next}${certificate}`)
    expect(certificatesOf(stored)).toEqual([normaliseCertificates(certificate), normaliseCertificates(next)])
    expect(normaliseCertificates(stored)).toBe(stored)
    expect(() => normaliseCertificates(certificate.repeat(5))).toThrow(
      'saml_certificate must contain at most 4 certificates',
    )
    expect(certificatesOf('')).toEqual([])
  })

  const ofKey = (type: 'ec' | 'rsa', bits = 2048) => {
    const made =
      type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: bits })
    return createSelfSignedCertificate('idp.example', made).certificate
  }
  it('400 for a key that cannot verify a sign-in, with the reason', () => {
    expect(() => normaliseCertificates(ofKey('ec'))).toThrow(
      'saml_certificate must contain an RSA key, not a key of the type ec; sign-ins are verified with RSA only',
    )
    expect(() => normaliseCertificates(ofKey('rsa', 1024))).toThrow(
      'saml_certificate must contain an RSA key of at least 2048 bits',
    )
  })

  it.each([
    ['nonsense', 'nonsense'],
    ['base64 that is cut off', body.slice(0, -40)],
    ['base64 with more behind it', `${body}AAAA`],
    ['PEM lines around nonsense', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
    ['a private key', createSelfSignedCertificate('key').privateKey],
    [
      'a certificate and nonsense after it',
      `${certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    ],
  ])('400 for %s', (_, pem) => {
    expect(() => normaliseCertificates(pem)).toThrow(
      'saml_certificate must be an X.509 certificate in PEM form, or several of them',
    )
  })
})

describe('a change of the SAML settings', () => {
  const names = Object.keys(all).filter((field) => field !== 'saml_enabled') as (keyof typeof all)[]

  it.each(names)('400 for turning SAML on without %s; a blank value does not count', (field) => {
    const { [field]: _, ...rest } = all
    expect(statusOf(off, rest, 'enterprise')).toBe(400)
    expect(statusOf(off, { ...all, [field]: '  ' }, 'enterprise')).toBe(400)
    expect(statusOf(on, { [field]: '' }, 'enterprise')).toBe(400)
  })

  it('a field left out keeps its stored value, which counts as set', () => {
    expect(applySamlChange({ ...on, saml_enabled: false }, { saml_enabled: true }, 'enterprise')).toEqual(on)
    expect(applySamlChange(on, { saml_entity_id: 'urn:other' }, 'enterprise')).toEqual({
      ...on,
      saml_entity_id: 'urn:other',
    })
  })

  it('402 comes before any error about the fields', () => {
    expect(statusOf(off, { saml_enabled: true }, 'pro')).toBe(402)
    expect(statusOf(off, { saml_enabled: true, saml_provider_id: 'X' }, 'free')).toBe(402)
  })

  it('every plan may turn SAML off, and change a setting while SAML is off', () => {
    expect(statusOf(on, { saml_enabled: false }, 'free')).toBe(200)
    expect(statusOf(on, { saml_enabled: false, saml_entity_id: '' }, 'free')).toBe(200)
    expect(statusOf(off, { saml_email_domain: 'example.com' }, 'free')).toBe(200)
    expect(statusOf(off, { saml_provider_id: 'saml.x' }, 'free')).toBe(400)
  })

  it('402 for sending a setting while SAML stays on after the tenant left the plan, even unchanged', () => {
    expect(statusOf(on, { saml_email_domain: on.saml_email_domain }, 'pro')).toBe(402)
    expect(statusOf(on, { saml_enabled: true }, 'pro')).toBe(402)
    expect(statusOf(on, {}, 'pro')).toBe(200)
  })

  it('the domain is trimmed and lowercased', () => {
    expect(applySamlChange(off, { saml_email_domain: '  Example.COM ' }, 'free').saml_email_domain).toBe('example.com')
  })
})
