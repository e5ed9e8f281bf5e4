/** Returns the bearer token of an `Authorization` header, or undefined if the header has no bearer token. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1]
}
