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
 * Whether every signature and digest that `xml` names is by an allowed algorithm. The elements must be written in the one
 * usual form, with the algorithm as it is: anything else may hide another one and counts as weak. Comments, sections and
 * document types, in which an element could hide, are refused before.
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
