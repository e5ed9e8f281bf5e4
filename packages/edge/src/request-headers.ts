/** Names of this machine, as a `Host` header or a URL has them. */
export const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The token of an `Authorization` header. Undefined without a header and for another scheme. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1]
}
