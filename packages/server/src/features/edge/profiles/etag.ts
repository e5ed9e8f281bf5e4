/** True if an `If-None-Match` header contains `etag` (with its quotes) or `*`. The comparison is weak, as RFC 9110 requires. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const named = header.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return named.includes('*') || named.includes(etag)
}
