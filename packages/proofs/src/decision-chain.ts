import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { signaturePattern } from '@mandate/contract/fields/signature-pattern'
import { keyId } from './audit-chain.ts'
import { contentHash } from './canonical.ts'

/** The `prev` of the first record of a key: 64 zeros. */
export const firstPrev = '0'.repeat(64)

/** The position of a record in the chain of its key. */
export interface ChainPosition {
  /** 1 for the first record of the key. */
  seq: number
  /** The chain hash of the record before, in hex. `firstPrev` for the first record. */
  prev: string
}

/**
 * SHA-256 over the RFC 8785 form of a decision record without `seq` and `prev`, in hex.
 * @throws if the record has no such form
 */
export function recordDigest(record: object): string {
  const { seq: _seq, prev: _prev, ...rest } = record as Partial<ChainPosition>
  return contentHash(rest)
}

/**
 * The chain hash of a record: SHA-256 over `prev` (32 bytes), `seq` (8 bytes, big-endian) and the digest of the record (32
 * bytes), in hex.
 * @throws if a hash is not 64 lower-case hexadecimal characters, or if `seq` is not a positive integer
 */
export function chainHash({ prev, seq, digest }: ChainPosition & { digest: string }): string {
  if (!isHash(prev) || !isHash(digest)) throw new TypeError('a hash must be 64 lower-case hexadecimal characters')
  if (!Number.isSafeInteger(seq) || seq < 1) throw new TypeError('seq must be a positive integer')
  // Reused, because this runs for each decision of an edge.
  hashed.write(prev, 0, 'hex')
  hashed.writeUInt32BE(Math.floor(seq / 2 ** 32), 32)
  hashed.writeUInt32BE(seq % 2 ** 32, 36)
  hashed.write(digest, 40, 'hex')
  return hash('sha256', hashed, 'hex')
}

const hashed = Buffer.alloc(72)

/**
 * Signs a batch with the key of its records: Ed25519 over the 32 bytes of the chain hash of the last record. Returns base64.
 * The signature covers all records of the batch, because each hash covers the hash before it.
 * @param privateKey an Ed25519 private key, or its PKCS #8 PEM
 */
export function signBatch(privateKey: KeyObject | string, lastHash: string): string {
  if (!isHash(lastHash)) throw new TypeError('a hash must be 64 lower-case hexadecimal characters')
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey
  return sign(null, Buffer.from(lastHash, 'hex'), key).toString('base64')
}

/** Verifies the signature of a batch with a public key (PEM). Never throws: an invalid key, hash or signature is false. */
export function verifyBatch(publicKeyPem: string, lastHash: string, signature: string): boolean {
  if (!isHash(lastHash) || !signaturePattern.test(signature)) return false
  try {
    const key = createPublicKey(publicKeyPem)
    if (key.asymmetricKeyType !== 'ed25519') return false
    return verify(null, Buffer.from(lastHash, 'hex'), key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** The key of an edge, as the control plane attests it. `edge_id` is null for a key that an agent's own edge registered. */
export interface EdgeKeyAttestation {
  tenant_id: string
  edge_id: string | null
  kid: string
  public_key_pem: string
}

/** The document that the control plane signs for the key of an edge. The signature is over its RFC 8785 form. */
export function edgeKeyAttestationBody({ tenant_id, edge_id, kid, public_key_pem }: EdgeKeyAttestation) {
  return { purpose: 'edge_key' as const, tenant_id, edge_id, kid, public_key_pem }
}

/**
 * Reads a public key (PEM) of an edge. Returns its id and its PEM in the usual format, so that equal keys give equal texts.
 * The id is the first 16 hex digits of the SHA-256 of the DER form, as for the keys of the control plane. Returns null if the
 * text is not an Ed25519 public key.
 */
export function readEdgeKey(publicKeyPem: string): { kid: string; public_key_pem: string } | null {
  // `createPublicKey` also takes a private key, and an edge must never send one.
  if (publicKeyPem.includes('PRIVATE')) return null
  try {
    const key = createPublicKey(publicKeyPem)
    if (key.asymmetricKeyType !== 'ed25519') return null
    const public_key_pem = key.export({ type: 'spki', format: 'pem' }) as string
    return { kid: keyId(public_key_pem), public_key_pem }
  } catch {
    return null
  }
}

const hashForm = /^[0-9a-f]{64}$/

function isHash(text: unknown): text is string {
  return typeof text === 'string' && hashForm.test(text)
}

/**
 * The hash of confirmations that an edge signs: SHA-256 over the RFC 8785 form of the confirmations as they are sent, with the
 * key and the purpose, in hex. `signBatch` signs it and `verifyBatch` verifies the signature.
 * @throws if the confirmations have no such form
 */
export function confirmationsHash(kid: string, confirmations: readonly object[]): string {
  return contentHash({ purpose: 'edge_confirmations', kid, confirmations })
}
