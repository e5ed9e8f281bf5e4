/** Whether an `If-None-Match` header names `etag` (quoted), or anything by `*`. Compared weakly, as RFC 9110 has it. */
export function holdsCurrent(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const named = header.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return named.includes('*') || named.includes(etag)
}
