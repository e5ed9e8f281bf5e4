import { createHash, createPublicKey, hash, verify } from 'node:crypto'

// What this package needs of cryptography, where Node runs it. `browser.ts` has the same functions for browsers; the field
// `imports` of package.json chooses the file. Both are synchronous, because the edge checks signatures for each document.

/** A SHA-256 over texts, part by part. */
export interface Sha256 {
  update(part: string): Sha256
  digest(encoding: 'hex'): string
}

export const startSha256 = (): Sha256 => createHash('sha256')

/** SHA-256 over bytes or the UTF-8 form of a text, in hex. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex')

export const bytesOfHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex')

/** The DER form (SPKI) of a public key. @throws if it is not a public key */
export const derOf = (publicKeyPem: string): Uint8Array =>
  createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' })

/** The form of a public key in PEM that equal keys have in common. @throws if it is not a public key */
export const normalPem = (publicKeyPem: string): string =>
  createPublicKey(publicKeyPem).export({ type: 'spki', format: 'pem' }) as string

/** Whether an Ed25519 signature (base64) over the UTF-8 form of a text is valid. @throws if the key is invalid */
export const isSigned = (publicKeyPem: string, text: string, signature: string): boolean =>
  verify(null, Buffer.from(text), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'))
