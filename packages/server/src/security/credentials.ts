import { hash, randomBytes } from 'node:crypto'

/** The prefix shows the kind of credential: `mk_` for API keys, `ak_` for agent keys, `ek_` for edge keys. */
export type CredentialPrefix = 'mk' | 'ak' | 'ek'

const credentialPattern = /^(mk|ak|ek)_[0-9a-f]{64}$/

/** Creates a credential from a prefix and 32 random bytes. Only the digest of the credential is stored. */
export function newCredential(prefix: CredentialPrefix): string {
  return `${prefix}_${randomBytes(32).toString('hex')}`
}

/** Creates a token for a link: 32 random bytes as 43 URL-safe characters. */
export function newLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the SHA-256 of a secret. A fast hash is sufficient, because the secret has 256 random bits. */
export function digest(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Returns the first 8 characters of a credential. They are not secret. */
export function publicPrefix(credential: string): string {
  return credential.slice(0, 8)
}

export function credentialKind(text: string): CredentialPrefix | null {
  return credentialPattern.test(text) ? (text.slice(0, 2) as CredentialPrefix) : null
}
