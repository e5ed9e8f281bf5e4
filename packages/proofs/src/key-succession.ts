import { normalPem } from '#crypto'
import { keyId } from './audit-chain.ts'
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

/** A public key as the service publishes it. A former key has signed its successor. */
export interface PublishedKey {
  public_key_pem: string
  successor?: { signature: string } | undefined
}

/** Checks that each former key of a list (newest first) signed the key that replaced it. Returns what is wrong in words, or undefined. @throws if a key is not a public key */
export function successionFault(keys: readonly PublishedKey[]): string | undefined {
  const ids = keys.map(({ public_key_pem }) => keyId(public_key_pem))
  const at = keys.findIndex(({ public_key_pem, successor }, index) => {
    const next = keys[index - 1]
    return next && !vouchesFor(public_key_pem, next.public_key_pem, successor?.signature ?? '')
  })
  if (at >= 0) return `the key ${ids[at]} did not sign its successor ${ids[at - 1]}`
}
