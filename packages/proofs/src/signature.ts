import { signaturePattern } from '@mandate/contract/fields/signature-pattern'
import { isSigned } from '#crypto'

/** Verifies an Ed25519 signature (base64) over the UTF-8 bytes of `text` with a public key (PEM). False if the key is invalid. */
export function signatureHolds(publicKeyPem: string, text: string, signature: string): boolean {
  try {
    return signaturePattern.test(signature) && isSigned(publicKeyPem, text, signature)
  } catch {
    return false
  }
}
