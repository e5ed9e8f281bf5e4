import { createPublicKey, verify } from 'node:crypto'
import { DOMParser } from '@xmldom/xmldom'
import {
  C14nCanonicalization,
  C14nCanonicalizationWithComments,
  ExclusiveCanonicalization,
  ExclusiveCanonicalizationWithComments,
  findAncestorNs,
} from 'xml-crypto'
import { signatureMethods } from './algorithms.ts'
import type { SignedInfo } from './read-shape.ts'

/** Maximum number of signatures. A response can have two: its own, and the signature of its assertion. */
const maxSignatures = 2
/** Maximum number of characters in a `SignedInfo`. Real ones have about 1,000. */
const maxLength = 8192

const canonicalizations: Record<string, new () => ExclusiveCanonicalization | C14nCanonicalization> = {
  'http://www.w3.org/2001/10/xml-exc-c14n#': ExclusiveCanonicalization,
  'http://www.w3.org/2001/10/xml-exc-c14n#WithComments': ExclusiveCanonicalizationWithComments,
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315': C14nCanonicalization,
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments': C14nCanonicalizationWithComments,
}

/**
 * True if every `SignedInfo` element of a document was signed with the key of one of the certificates. The check reads only these
 * elements, so its time does not depend on the size of the document. It does not show that the content is unchanged: the SAML
 * library later compares the content with the signed digests.
 */
export function areGenuine(signedInfos: readonly SignedInfo[], certificates: readonly string[]): boolean {
  if (signedInfos.length === 0 || signedInfos.length > maxSignatures) return false
  try {
    return signedInfos.every((signedInfo) => isGenuine(signedInfo, certificates))
  } catch {
    // The XML or the signature is malformed, or the key of a certificate does not have the type that the signature algorithm
    // needs.
    return false
  }
}

function isGenuine({ xml, namespaces, signatureValue }: SignedInfo, certificates: readonly string[]): boolean {
  const canonicalize = canonicalizations[algorithmOf(xml, 'CanonicalizationMethod')]
  const method = signatureMethods[algorithmOf(xml, 'SignatureMethod')]
  if (!canonicalize || !method || xml.length > maxLength) return false
  const declared = [...namespaces].map(([name, uri]) => ` ${name}="${uri}"`).join('')
  const document = new DOMParser({ errorHandler: refuse }).parseFromString(
    `<ancestors${declared}>${xml}</ancestors>`,
    'text/xml',
  )
  const signedInfo = document.documentElement?.firstChild
  if (!signedInfo) return false
  const ancestorNamespaces = findAncestorNs(document as never, "//*[local-name()='SignedInfo']")
  const signed = new canonicalize().process(signedInfo as never, { ancestorNamespaces } as never)
  const { hash, ...padding } = method
  const data = Buffer.from(String(signed))
  const signature = Buffer.from(withoutReferences(signatureValue), 'base64')
  return certificates.some((one) => verify(hash, data, { key: createPublicKey(one), ...padding }, signature))
}

/**
 * Replaces the numeric character references of a text. Java's XML signature ends each line of base64 with `&#13;`, and the
 * base64 decoder would read the digits as base64. @throws RangeError for a number that is no character
 */
export const withoutReferences = (text: string) =>
  text.replaceAll(/&#(?:([0-9]{1,7})|x([0-9A-Fa-f]{1,6}));/g, (_, decimal?: string, hexadecimal?: string) =>
    String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16)),
  )

// Without this handler, the parser writes errors to the console.
const refuse = (_level: string, message: string): never => {
  throw new Error(message)
}

const algorithmOf = (xml: string, element: string) =>
  new RegExp(`<(?:[\\w.-]+:)?${element}\\s+Algorithm=["']([^"']*)["']`).exec(xml)?.[1] ?? ''
