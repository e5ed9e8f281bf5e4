import { describe, expect, it } from 'vitest'
import { normaliseEmailDomain } from './email-domain.ts'
import { freeMailDomains } from './free-mail-domains.ts'

describe('saml_email_domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['  Example.COM ', 'example.com'],
    ['mail.example.co.uk', 'mail.example.co.uk'],
    ['acme.example', 'acme.example'],
    ['corp.internal', 'corp.internal'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a-b.co', 'a-b.co'],
    ['', ''],
    ['   ', ''],
  ])('%j is taken as %j', (text, domain) => expect(normaliseEmailDomain(text)).toBe(domain))

  it.each([
    '*',
    '*.example.com',
    'localhost',
    '@example.com',
    'me@example.com',
    'https://example.com',
    'example.com/',
    'example.com.',
    '.example.com',
    'exa mple.com',
    'exa_mple.com',
    '-a.example.com',
    'a-.example.com',
    'a..example.com',
    '192.0.2.1',
    '[::1]',
    'example.com,example.org',
    'bücher.example',
    'exаmple.com',
    'example.com\0',
    `${'a'.repeat(64)}.com`,
    `${'abcdefgh.'.repeat(30)}com`,
  ])('400 for %j, which is no domain name', (text) => {
    expect(() => normaliseEmailDomain(text)).toThrow(/^saml_email_domain must be a domain name/)
  })

  it.each(['co.uk', 'com.br', 'k12.ca.us', 'github.io', 'herokuapp.com', 'gov.au'])(
    '400 for %s, under which anybody gets a domain',
    (text) => {
      expect(() => normaliseEmailDomain(text)).toThrow(/^saml_email_domain must not be a public suffix/)
    },
  )

  it.each(['com', 'COM', 'uk', 'dev'])('400 for %s, a top-level domain', (text) => {
    expect(() => normaliseEmailDomain(text)).toThrow(/^saml_email_domain must be/)
  })

  it.each(['gmail.com', 'GMail.com', 'outlook.com', 'qq.com', 'team.gmail.com'])(
    '400 for %s, where anybody gets an address',
    (text) => {
      expect(() => normaliseEmailDomain(text)).toThrow(
        /^saml_email_domain must not be the domain of a public mail provider/,
      )
    },
  )

  it('the list of public mail providers has well-formed domains, each once', () => {
    expect(freeMailDomains.size).toBeGreaterThan(100)
    for (const domain of freeMailDomains) expect(domain).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
  })
})
