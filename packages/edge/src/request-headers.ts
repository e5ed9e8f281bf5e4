/** The loopback names of this machine, as a `Host` header or a URL contains them. */
export const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns the bearer token of an `Authorization` header, or undefined if the header has no bearer token. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1]
}
