import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { keyId } from '@mandate/proofs/audit-chain'
import { signBatch } from '@mandate/proofs/decision-chain'

/** An Ed25519 key that signs batches of decisions. */
export interface DecisionKey {
  /** First 16 hex digits of the SHA-256 of the public key's DER form. */
  kid: string
  publicKeyPem: string
  /** PKCS #8. Never leaves the state folder. */
  privateKeyPem: string
  /** Signs the chain hash of a batch's last record. Returns base64. */
  sign(lastHash: string): string
}

export function newDecisionKey(): DecisionKey {
  return decisionKey(generateKeyPairSync('ed25519').privateKey)
}

/** Returns null if the text is not an Ed25519 private key. */
export function readDecisionKey(privateKeyPem: unknown): DecisionKey | null {
  try {
    const key = createPrivateKey(privateKeyPem as string)
    return key.asymmetricKeyType === 'ed25519' ? decisionKey(key) : null
  } catch {
    return null
  }
}

function decisionKey(privateKey: KeyObject): DecisionKey {
  const publicKeyPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
  return {
    kid: keyId(publicKeyPem),
    publicKeyPem,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    sign: (lastHash) => signBatch(privateKey, lastHash),
  }
}
