import { constants } from 'node:crypto'
import { printable } from './printable.ts'

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

/** Signature algorithms that a response may use: those of the SAML library that use SHA-256 or stronger. */
export const signatureMethods: Record<string, { hash: string; padding?: number; saltLength?: number }> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': { hash: 'sha256' },
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': { hash: 'sha512' },
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1': { hash: 'sha256', ...pss },
}

/** Digest algorithms that a response may use. */
export const digestMethods = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']

/** Algorithms that are refused because they are weak. Mandate does not support all others, such as ECDSA. */
const weak = /(?:sha-?1|md[245]|ripemd-?\d*)$/i

/**
 * Returns why an algorithm of the signatures or digests in `xml` is refused. Returns null if all of them are allowed. Each element
 * must be written in its usual form, with the algorithm as a literal value. Any other form is refused, because it could hide an
 * algorithm. The caller has already rejected comments, CDATA sections and document types, which could hide an element.
 */
export function algorithmFault(xml: string): string | null {
  return (
    faultOf(xml, 'SignatureMethod', Object.keys(signatureMethods), 'RSA with SHA-256') ??
    faultOf(xml, 'DigestMethod', digestMethods, 'SHA-256')
  )
}

function faultOf(xml: string, element: string, allowed: readonly string[], instead: string): string | null {
  const mentions = xml.split(element).length - 1
  const usual = new RegExp(`<(?:[A-Za-z_][\\w.-]*:)?${element}\\s+Algorithm=(?:"([^"&<]*)"|'([^'&<]*)')\\s*/?>`, 'g')
  const closing = new RegExp(`</(?:[A-Za-z_][\\w.-]*:)?${element}\\s*>`, 'g')
  const named = [...xml.matchAll(usual)].map((match) => match[1] ?? match[2] ?? '')
  const closed = xml.match(closing)?.length ?? 0
  const refused = named.find((algorithm) => !allowed.includes(algorithm))
  if (refused !== undefined) {
    const fault = weak.test(refused) ? 'a weak algorithm' : 'an algorithm that Mandate does not support'
    return `the SAML response is signed with ${fault}, ${element} ${printable(refused)}; use ${instead}`
  }
  if (named.length + closed !== mentions) return `the SAML response does not write each ${element} in the usual form`
  return null
}
