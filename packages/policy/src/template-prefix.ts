/** What no URI may hold as it is (RFC 3986): an expansion writes such characters of the template as percent codes. */
const notLiteral = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/

/** The text that every expansion of a URI template (RFC 6570) begins with. The template may be malformed. */
export function templatePrefix(template: string): string {
  const end = template.search(notLiteral)
  return end < 0 ? template : template.slice(0, end)
}
