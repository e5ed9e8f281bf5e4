import { createHash, createPublicKey } from 'node:crypto'
import type { AuditVerdict } from '@mandate/contract/audit'
import {
  type AuditCheckpoint,
  type AuditSeal,
  checkpointForm,
  genesisHash,
  type SealableEntry,
  sealedForm,
} from '@mandate/contract/audit-chain'
import { canonicalJson, contentHash } from './canonical.ts'
import { signatureHolds } from './signature.ts'

/** SHA-256 over the RFC 8785 form of what is sealed of an entry, in hex. */
export function entryHash(entry: SealableEntry): string {
  return contentHash(sealedForm(entry))
}

/** SHA-256 over the previous chain hash, the sequence number (8 bytes, big-endian) and the entry's hash, in hex. */
export function nextChainHash(previous: string, seq: number, entry: string): string {
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(seq))
  return createHash('sha256').update(previous, 'hex').update(number).update(entry, 'hex').digest('hex')
}

/** The text a checkpoint's Ed25519 signature is over. */
export function checkpointText(checkpoint: Omit<AuditCheckpoint, 'kid' | 'signature'>): string {
  return canonicalJson(checkpointForm(checkpoint))
}

/** The id of a public key: the first 16 hex digits of the SHA-256 of its DER form. Throws on what is no public key. */
export function keyId(publicKeyPem: string): string {
  const der = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}

/** Public keys (PEM) by id, the newest first: where a chain has come to one, none after it in this order signs any more. */
export type CheckpointKeys = ReadonlyMap<string, string>

export function checkpointHolds(checkpoint: AuditCheckpoint, keys: CheckpointKeys): boolean {
  const pem = keys.get(checkpoint.kid)
  if (pem === undefined) return false
  try {
    return signatureHolds(pem, checkpointText(checkpoint), checkpoint.signature)
  } catch {
    return false
  }
}

export type FirstBad = NonNullable<AuditVerdict['first_bad']>
export interface ChainHead {
  seq: number
  chain_hash: string
}

/**
 * Walks a tenant's chain in order and stops at the first thing that does not hold. Each step answers the fault it found;
 * after one, nothing more may be fed. Holds one hash, whatever the chain's length.
 */
export class ChainWalk {
  /** Entries whose content was checked. */
  entries = 0
  /** The last checkpoint that held. */
  signed: AuditCheckpoint | null = null
  private seq = 0
  private hash = genesisHash
  private readonly keys: CheckpointKeys
  /** Ids of the keys, newest first, and the place of the newest that has signed. */
  private readonly order: readonly string[]
  private newest = Number.POSITIVE_INFINITY

  constructor(keys: CheckpointKeys) {
    this.keys = keys
    this.order = [...keys.keys()]
  }

  /** Where the walk has come to; null at the chain's beginning. */
  get head(): ChainHead | null {
    return this.seq === 0 ? null : { seq: this.seq, chain_hash: this.hash }
  }

  /** Begins at a signed checkpoint instead of at the chain's beginning. */
  startAt(checkpoint: AuditCheckpoint): FirstBad | undefined {
    this.seq = checkpoint.seq
    this.hash = checkpoint.chain_hash
    return this.passCheckpoint(checkpoint)
  }

  /** An entry and its seal. */
  passEntry(entry: SealableEntry, seal: AuditSeal): FirstBad | undefined {
    const fault = (reason: FirstBad['reason']) => ({ reason, seq: seal.seq, entry_id: entry.id })
    if (seal.seq !== this.seq + 1) return { reason: 'seal_missing', seq: this.seq + 1 }
    if (entryHash(entry) !== seal.entry_hash) return fault('entry_changed')
    this.step(seal.entry_hash)
    if (this.hash !== seal.chain_hash) return fault('seal_changed')
    this.entries++
  }

  /** An entry of which only the hash is shown. */
  passHash(seq: number, hash: string): FirstBad | undefined {
    if (seq !== this.seq + 1) return { reason: 'seal_missing', seq: this.seq + 1 }
    this.step(hash)
  }

  /** A checkpoint of the place the walk has come to. */
  passCheckpoint(checkpoint: AuditCheckpoint): FirstBad | undefined {
    const { seq, chain_hash } = checkpoint
    if (seq > this.seq) return { reason: 'seal_missing', seq: this.seq + 1 }
    const place = this.order.indexOf(checkpoint.kid)
    const isByFormerKey = place > this.newest
    if (isByFormerKey || !checkpointHolds(checkpoint, this.keys)) return { reason: 'checkpoint_unverified', seq }
    if (seq !== this.seq || chain_hash !== this.hash) return { reason: 'checkpoint_changed', seq }
    this.newest = place
    this.signed = checkpoint
  }

  /** Whether the last step is covered by a signature. */
  finish(): FirstBad | undefined {
    if (this.signed?.seq !== this.seq) return { reason: 'checkpoint_missing', seq: this.seq }
  }

  private step(entry: string): void {
    this.seq++
    this.hash = nextChainHash(this.hash, this.seq, entry)
  }
}
