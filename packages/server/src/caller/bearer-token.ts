import { digest } from '../security/credentials.ts'

/** The token of an `Authorization` header. Its hash is computed once, at the first use. */
export class BearerToken {
  readonly text: string
  private hashed: string | undefined

  constructor(text: string) {
    this.text = text
  }

  /** SHA-256 of the token, in base64. Caches use it as the key, so that they never contain tokens. */
  get digest(): string {
    this.hashed ??= digest(this.text).toString('base64')
    return this.hashed
  }

  /** SHA-256 of the token, as 32 bytes. The database stores the hash in this form. */
  get digestBytes(): Buffer {
    return Buffer.from(this.digest, 'base64')
  }
}

/** Reads an `Authorization` header. Returns null if the header is missing or has another scheme. */
export function bearerToken(header: string | undefined): BearerToken | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(header ?? '')
  return match?.[1] === undefined ? null : new BearerToken(match[1])
}
