/** Signature algorithms that a response may use: SHA-256 and stronger. */
const signatureMethods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]

/** Digest algorithms that a response may use. */
const digestMethods = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]

/**
 * True if every signature and every digest in `xml` uses an allowed algorithm. Each element must be written in its usual form,
 * with the algorithm as a literal value. Any other form counts as weak, because it could hide an algorithm. The caller has
 * already rejected comments, CDATA sections and document types, which could hide an element.
 */
export function usesStrongAlgorithms(xml: string): boolean {
  return namesOnly(xml, 'SignatureMethod', signatureMethods) && namesOnly(xml, 'DigestMethod', digestMethods)
}

function namesOnly(xml: string, element: string, allowed: readonly string[]): boolean {
  const mentions = xml.split(element).length - 1
  const usual = new RegExp(`<(?:[A-Za-z_][\\w.-]*:)?${element}\\s+Algorithm=(?:"([^"&<]*)"|'([^'&<]*)')\\s*/?>`, 'g')
  const closing = new RegExp(`</(?:[A-Za-z_][\\w.-]*:)?${element}\\s*>`, 'g')
  const named = [...xml.matchAll(usual)].map((match) => match[1] ?? match[2] ?? '')
  const closed = xml.match(closing)?.length ?? 0
  return named.every((algorithm) => allowed.includes(algorithm)) && named.length + closed === mentions
}
