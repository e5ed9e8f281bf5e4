import { Confirmation, type Confirmations } from '@mandate/contract/edge'
import { confirmationsHash, verifyBatch } from '@mandate/proofs/decision-chain'
import { readValue } from '../../../http/input/read-input.ts'
import { invalid, Refusal } from '../../../refusal.ts'

/** A confirmation with its place in the request, or why it is refused. */
export type ReadConfirmation = { index: number } & ({ said: Confirmation } | { fault: string })

/** Reads each confirmation by itself, so a bad confirmation does not refuse the others. */
export function readConfirmations({ confirmations }: Pick<Confirmations, 'confirmations'>): ReadConfirmation[] {
  return confirmations.map((sent, index) => {
    try {
      return { index, said: readValue(Confirmation, sent, 'the confirmation') }
    } catch (refusal) {
      if (refusal instanceof Refusal) return { index, fault: refusal.message }
      throw refusal
    }
  })
}

/**
 * Verifies the signature over the confirmations as they were sent.
 * @throws 400 if the signature does not verify with the key
 */
export function requireSigned({ kid, confirmations, signature }: Confirmations, publicKeyPem: string): void {
  if (kid === undefined || signature === undefined || !isSigned(kid, confirmations, signature, publicKeyPem)) {
    throw invalid('signature does not verify: it must be made with the key over the confirmations as they are sent')
  }
}

function isSigned(kid: string, confirmations: readonly object[], signature: string, publicKeyPem: string): boolean {
  try {
    return verifyBatch(publicKeyPem, confirmationsHash(kid, confirmations), signature)
  } catch {
    // Text without an RFC 8785 form cannot be signed.
    return false
  }
}
