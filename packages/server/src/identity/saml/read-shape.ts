/** The structure of an XML document, as found by `readShape`. `readShape` scans the text before the XML parser runs. */
export interface XmlShape {
  root: { name: string; attributes: Map<string, string> }
  signedInfos: SignedInfo[]
  /** The values of `StatusCode`, the outer one first, and the text of `StatusMessage`. Usually no signature covers them. */
  status: { codes: string[]; message: string }
  hasEncryptedAssertion: boolean
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
const reference = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)/

/**
 * Reads the structure of an XML document in one pass. Large documents must be refused before they are parsed, because the time
 * that the XML libraries need grows faster than the size of the document.
 * Returns null if the document is not well-formed, or contains a document type, a comment or a processing instruction. Also
 * returns null for more than 400 elements, 64 element names, 32 attributes per element, 600 attributes in total or 40 levels.
 */
export function readShape(xml: string): XmlShape | null {
  if (reference.test(xml)) return null
  const reader = new Reader(xml)
  reader.take(declaration)
  const open: OpenElement[] = []
  const signedInfos: SignedInfo[] = []
  const status: XmlShape['status'] = { codes: [], message: '' }
  let hasEncryptedAssertion = false
  let root: XmlShape['root'] | undefined
  let elements = 0
  const names = new Set<string>()
  let attributesInAll = 0
  while (!reader.atEnd()) {
    if (!reader.skip('<')) return null
    let path = ''
    if (reader.skip('/')) {
      const closed = open.pop()
      if (!closed || reader.take(name) !== closed.name) return null
      reader.take(space)
      if (!reader.skip('>')) return null
      if (localName(closed.name) === 'SignedInfo') signedInfos.push(signedInfoOf(xml, closed, reader.position(), open))
    } else {
      const start = reader.position() - 1
      const tag = readTag(reader)
      if (!tag || ++elements > maxElements || (root && open.length === 0)) return null
      attributesInAll += tag.attributes.size
      if (attributesInAll > maxAttributesInAll || names.add(tag.name).size > maxNames) return null
      root ??= tag
      path = [...open.slice(1), tag].map((element) => localName(element.name)).join('/')
      if (/^Status(?:\/StatusCode)+$/.test(path)) status.codes.push(tag.attributes.get('Value') ?? '')
      if (path === 'EncryptedAssertion') hasEncryptedAssertion = true
      if (!tag.isEmpty && open.push({ ...tag, start }) > maxDepth) return null
    }
    const between = reader.take(text) ?? ''
    if (open.length === 0 && between.trim() !== '') return null
    if (path === 'Status/StatusMessage') status.message = between.trim()
  }
  return root && open.length === 0 ? { root, signedInfos, status, hasEncryptedAssertion } : null
}

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
    if (!attribute || attributes.has(attribute) || attributes.size === maxAttributes) return null
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

  skip(character: string): boolean {
    if (this.xml[this.at] !== character) return false
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
