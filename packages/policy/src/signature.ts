import { createPublicKey, verify } from 'node:crypto'

/** Whether a signature (base64) over the UTF-8 bytes of `text` is by the Ed25519 key (PEM). False for what is no key. */
export function signatureHolds(publicKeyPem: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
