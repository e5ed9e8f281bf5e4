import { parse } from 'tldts'
import { invalid } from '../../../refusal.ts'
import { freeMailDomains } from './free-mail-domains.ts'

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns the domain of an organization's mail addresses in lower case; empty text stays empty. It is not verified that the
 * organization owns the domain.
 * @throws 400 for text that is not a domain name, for a public suffix, and for a domain where anybody can get an address
 */
export function normaliseEmailDomain(text: string): string {
  const domain = text.trim().toLowerCase()
  if (domain === '') return ''
  const labels = domain.split('.')
  if (
    domain.length > 253 ||
    labels.length < 2 ||
    !labels.every((each) => label.test(each)) ||
    /^\d+$/.test(labels.at(-1) ?? '')
  ) {
    throw invalid(
      'saml_email_domain must be a domain name, such as example.com; write other scripts in Punycode (xn--…)',
    )
  }
  const { domain: registered, publicSuffix } = parse(domain, { allowPrivateDomains: true })
  if (registered === null || publicSuffix === domain) {
    throw invalid('saml_email_domain must not be a public suffix, because anybody can register a domain under it')
  }
  if (freeMailDomains.has(domain) || freeMailDomains.has(registered)) {
    throw invalid('saml_email_domain must not be the domain of a public mail provider')
  }
  return domain
}
