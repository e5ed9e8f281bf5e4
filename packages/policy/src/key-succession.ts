import { createPublicKey } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import { signatureHolds } from './signature.ts'

/** What a signing key signs to vouch for the key after it. Both are public keys in PEM form. */
export function successionText(previous: string, next: string): string {
  return canonicalJson({
    purpose: 'mandate signing key succession',
    previous_public_key_pem: normalPem(previous),
    next_public_key_pem: normalPem(next),
  })
}

/** Whether `signature` (base64) is the previous key's word that `next` signs after it. Never throws. */
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
