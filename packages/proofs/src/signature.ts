import { createPublicKey, verify } from 'node:crypto'

/** Verifies an Ed25519 signature (base64) over the UTF-8 bytes of `text` with a public key (PEM). False if the key is invalid. */
export function signatureHolds(publicKeyPem: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
