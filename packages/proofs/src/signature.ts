import { isSigned } from '#crypto'

/** The 64 bytes of a signature have exactly one form in base64. */
const pattern = /^[A-Za-z0-9+/]{85}[AQgw]==$/

/** Verifies an Ed25519 signature (base64) over the UTF-8 bytes of `text` with a public key (PEM). False if the key is invalid. */
export function signatureHolds(publicKeyPem: string, text: string, signature: string): boolean {
  try {
    return pattern.test(signature) && isSigned(publicKeyPem, text, signature)
  } catch {
    return false
  }
}
