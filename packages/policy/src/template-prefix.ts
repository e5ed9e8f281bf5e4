/** Characters that are not allowed in a URI (RFC 3986). An expansion percent-encodes them. */
const notLiteral = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/

/** The common prefix of all expansions of a URI template (RFC 6570). The template may be malformed. */
export function templatePrefix(template: string): string {
  const end = template.search(notLiteral)
  return end < 0 ? template : template.slice(0, end)
}
