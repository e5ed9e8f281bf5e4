import { IdentityFailure } from '../failure.ts'

/** The structure of an XML document, as found by `readShape`. `readShape` scans the text before the XML parser runs. */
export interface XmlShape {
  root: { name: string; attributes: Map<string, string> }
  signedInfos: SignedInfo[]
  /** The values of `StatusCode`, the outer one first, and the text of `StatusMessage`. Usually no signature covers them. */
  status: { codes: string[]; message: string }
  /** What is encrypted that a sign-in needs; null if nothing. */
  encrypted: 'assertion' | 'name id' | null
}

/** A `SignedInfo` element of a document, with its signature. */
export interface SignedInfo {
  /** The text of the element `SignedInfo`, unchanged. */
  xml: string
  /**
   * The namespace declarations of the elements that enclose `SignedInfo`: the name is `xmlns` or `xmlns:prefix`, and the value
   * is unchanged.
   */
  namespaces: Map<string, string>
  /** The signature in base64. Empty if no `SignatureValue` follows the `SignedInfo`. */
  signatureValue: string
}

// Maximum number of elements. Real responses have about 30, and one more for each group of the person.
const maxElements = 400
const maxNames = 64
const maxAttributes = 32
const maxAttributesInAll = 600
const maxDepth = 40

const space = /[ \t\r\n]*/y
const declaration = /\uFEFF?(?:<\?xml [^<>?]{0,200}\?>)?[ \t\r\n]*/y
const name = /[A-Za-z_][A-Za-z0-9_.:-]{0,127}/y
const equals = /[ \t\r\n]*=[ \t\r\n]*/y
const value = /"[^<"]*"|'[^<']*'/y
const text = /[^<]*/y
const signatureValue = /[ \t\r\n]*<(?:[\w.-]+:)?SignatureValue(?:[ \t\r\n][^<>]*)?>([^<]*)</y
const encrypted = new Map<string, XmlShape['encrypted']>([
  ['EncryptedAssertion', 'assertion'],
  ['Assertion/Subject/EncryptedID', 'name id'],
])
/** Markup that no response needs and that attacks often use, by its first characters. */
const refusedMarkup = [
  ['!--', 'a comment'],
  ['![CDATA[', 'a CDATA section'],
  ['!', 'a document type'],
  ['?', 'a processing instruction'],
] as const
const reference = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)/

/**
 * Reads the structure of an XML document in one pass. Large documents must be refused before they are parsed, because the time
 * that the XML libraries need grows faster than the size of the document.
 * @throws IdentityFailure `refused` if the document is not well-formed, if it contains a document type, a comment, a CDATA
 *   section or a processing instruction, or if it exceeds one of the limits above
 */
export function readShape(xml: string): XmlShape {
  if (reference.test(xml)) throw malformed()
  const reader = new Reader(xml)
  reader.take(declaration)
  const open: OpenElement[] = []
  const signedInfos: SignedInfo[] = []
  const status: XmlShape['status'] = { codes: [], message: '' }
  let whatIsEncrypted: XmlShape['encrypted'] = null
  let root: XmlShape['root'] | undefined
  let elements = 0
  const names = new Set<string>()
  let attributesInAll = 0
  while (!reader.atEnd()) {
    if (!reader.skip('<')) throw malformed()
    let path = ''
    if (reader.skip('/')) {
      const closed = open.pop()
      if (!closed || reader.take(name) !== closed.name) throw malformed()
      reader.take(space)
      if (!reader.skip('>')) throw malformed()
      if (localName(closed.name) === 'SignedInfo') signedInfos.push(signedInfoOf(xml, closed, reader.position(), open))
    } else {
      const start = reader.position() - 1
      const markup = refusedMarkup.find(([beginning]) => reader.isBefore(beginning))
      if (markup) throw refusal(`contains ${markup[1]}`)
      const tag = readTag(reader)
      if (!tag || (root && open.length === 0)) throw malformed()
      if (++elements > maxElements) throw refusal(`has more than ${maxElements} elements`)
      attributesInAll += tag.attributes.size
      if (attributesInAll > maxAttributesInAll) throw refusal(`has more than ${maxAttributesInAll} XML attributes`)
      if (names.add(tag.name).size > maxNames) throw refusal(`has elements of more than ${maxNames} names`)
      root ??= tag
      path = [...open.slice(1), tag].map((element) => localName(element.name)).join('/')
      if (/^Status(?:\/StatusCode)+$/.test(path)) status.codes.push(tag.attributes.get('Value') ?? '')
      whatIsEncrypted ??= encrypted.get(path) ?? null
      if (!tag.isEmpty && open.push({ ...tag, start }) > maxDepth) throw refusal(`has more than ${maxDepth} levels`)
    }
    const between = reader.take(text) ?? ''
    if (open.length === 0 && between.trim() !== '') throw malformed()
    if (path === 'Status/StatusMessage') status.message = between.trim()
  }
  if (!root || open.length > 0) throw malformed()
  return { root, signedInfos, status, encrypted: whatIsEncrypted }
}

const refusal = (fault: string) => new IdentityFailure('refused', `the SAML response ${fault}`)
const malformed = () => refusal('is not well-formed XML')

interface OpenElement {
  name: string
  attributes: Map<string, string>
  /** Position of the first character of the element's tag. */
  start: number
}

const localName = (tagName: string) => tagName.slice(tagName.indexOf(':') + 1)

function signedInfoOf(xml: string, { start }: OpenElement, end: number, around: readonly OpenElement[]): SignedInfo {
  const declarations = around.flatMap(({ attributes }) =>
    [...attributes].filter(([attribute]) => attribute === 'xmlns' || attribute.startsWith('xmlns:')),
  )
  signatureValue.lastIndex = end
  return {
    xml: xml.slice(start, end),
    namespaces: new Map(declarations),
    signatureValue: signatureValue.exec(xml)?.[1] ?? '',
  }
}

function readTag(reader: Reader): (XmlShape['root'] & { isEmpty: boolean }) | null {
  const tagName = reader.take(name)
  if (!tagName) return null
  const attributes = new Map<string, string>()
  for (;;) {
    const gap = reader.take(space)
    if (reader.skip('>')) return { name: tagName, attributes, isEmpty: false }
    if (reader.skip('/')) return reader.skip('>') ? { name: tagName, attributes, isEmpty: true } : null
    const attribute = gap ? reader.take(name) : undefined
    if (!attribute || attributes.has(attribute)) return null
    if (attributes.size === maxAttributes) throw refusal(`has an element with more than ${maxAttributes} attributes`)
    const quoted = reader.take(equals) === undefined ? undefined : reader.take(value)
    if (quoted === undefined) return null
    attributes.set(attribute, quoted.slice(1, -1).replaceAll('"', '&quot;'))
  }
}

/** A cursor over the text that only moves forward. */
class Reader {
  private at = 0
  private readonly xml: string

  constructor(xml: string) {
    this.xml = xml
  }

  position(): number {
    return this.at
  }

  atEnd(): boolean {
    return this.at >= this.xml.length
  }

  isBefore(beginning: string): boolean {
    return this.xml.startsWith(beginning, this.at)
  }

  skip(character: string): boolean {
    if (!this.isBefore(character)) return false
    this.at++
    return true
  }

  /** Consumes and returns the match of a sticky pattern at the cursor, or returns undefined. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.xml)?.[0]
    this.at += found?.length ?? 0
    return found
  }
}
