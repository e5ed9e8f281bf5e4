import { createPublicKey } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import { signatureHolds } from './signature.ts'

/** Returns the text that a signing key signs to confirm the next key. `previous` and `next` are public keys in PEM. */
export function successionText(previous: string, next: string): string {
  return canonicalJson({
    purpose: 'mandate signing key succession',
    previous_public_key_pem: normalPem(previous),
    next_public_key_pem: normalPem(next),
  })
}

/** Whether `signature` (base64) is the previous key's signature for the next key. Never throws. */
export function vouchesFor(previous: string, next: string, signature: string): boolean {
  try {
    return signatureHolds(previous, successionText(previous, next), signature)
  } catch {
    return false
  }
}

function normalPem(pem: string): string {
  return createPublicKey(pem).export({ type: 'spki', format: 'pem' }) as string
}
