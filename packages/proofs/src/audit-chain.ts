import type { AuditFault, ChainHead } from '@mandate/contract/audit/audit'
import type { AuditCheckpoint, AuditExportEnd, AuditSeal, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { checkpointForm, exportEndForm, genesisHash, sealedForm } from '@mandate/contract/audit/sealed-forms'
import { bytesOfHex, derOf, sha256 } from '#crypto'
import { canonicalJson, contentHash } from './canonical.ts'
import { signatureHolds } from './signature.ts'

/** SHA-256 over the RFC 8785 form of an entry's sealed fields, in hex. @throws if the entry has no such form */
export function entryHash(entry: SealableEntry): string {
  return contentHash(sealedForm(entry))
}

/** Like `entryHash`, but undefined for an entry without an RFC 8785 form, for example with a number too large for JSON. */
export function entryHashIfAny(entry: SealableEntry): string | undefined {
  try {
    return entryHash(entry)
  } catch {
    return undefined
  }
}

/** SHA-256 over the previous chain hash, the sequence number (8 bytes, big-endian) and the entry's hash, in hex. */
export function nextChainHash(previous: string, seq: number, entry: string): string {
  const bytes = new Uint8Array(72)
  const view = new DataView(bytes.buffer)
  bytes.set(bytesOfHex(previous))
  view.setUint32(32, Math.floor(seq / 2 ** 32))
  view.setUint32(36, seq % 2 ** 32)
  bytes.set(bytesOfHex(entry), 40)
  return sha256(bytes)
}

/** Returns the text that is signed for a checkpoint, with Ed25519. */
export function checkpointText(checkpoint: Omit<AuditCheckpoint, 'kid' | 'signature'>): string {
  return canonicalJson(checkpointForm(checkpoint))
}

/** Returns the text that is signed for the last line of an export, with Ed25519. */
export function exportEndText(end: AuditExportEnd): string {
  return canonicalJson(exportEndForm(end))
}

/** The id of a public key: the first 16 hex digits of the SHA-256 of its DER form. @throws if it is not a public key */
export function keyId(publicKeyPem: string): string {
  return sha256(derOf(publicKeyPem)).slice(0, 16)
}

/** Public keys (PEM) by id, newest first. After a key has signed a checkpoint, older keys must not sign later checkpoints. */
export type CheckpointKeys = ReadonlyMap<string, string>

export function checkpointHolds(checkpoint: AuditCheckpoint, keys: CheckpointKeys): boolean {
  return isSignedBy(checkpoint, keys, checkpointText)
}

function isSignedBy<T extends { kid: string; signature: string }>(
  signed: T,
  keys: CheckpointKeys,
  textOf: (signed: T) => string,
): boolean {
  const pem = keys.get(signed.kid)
  if (pem === undefined) return false
  try {
    return signatureHolds(pem, textOf(signed), signed.signature)
  } catch {
    return false
  }
}

export type FirstBad = AuditFault
export type { ChainHead }

/**
 * The end of a tenant's chain, read from three database tables. `head` is the last entry of the chain, or null for an empty
 * chain. `last_seal` and `last_checkpoint` are the sequence numbers of the last seal and the last checkpoint. The number is 0
 * if the chain has no seal or checkpoint.
 */
export type ChainEnds = Pick<AuditExportEnd, 'head' | 'last_seal' | 'last_checkpoint'>

export interface WalkOptions {
  /** The expected tenant. If absent, the first line names the tenant. All other lines must belong to the same tenant. */
  tenantId?: string | undefined
  /** The head of the chain at an earlier time. The chain must contain it. */
  through?: ChainHead | undefined
}

/**
 * Verifies a tenant's chain in order. Each step returns the fault that it finds, or undefined. Do not continue after a fault.
 * The memory use does not grow with the length of the chain.
 */
export class ChainWalk {
  /** Number of entries whose content was checked. */
  entries = 0
  /** The last valid checkpoint. */
  signed: AuditCheckpoint | null = null
  tenantId: string | undefined
  /** The ids of the keys that signed what was verified. */
  readonly signedBy = new Set<string>()
  private seq = 0
  private hash = genesisHash
  private readonly keys: CheckpointKeys
  private readonly through: ChainHead | undefined
  private passed: boolean
  /** The ids of the keys, newest first, and the index of the newest key that has signed a checkpoint. */
  private readonly order: readonly string[]
  private newest = Number.POSITIVE_INFINITY

  constructor(keys: CheckpointKeys, { tenantId, through }: WalkOptions = {}) {
    this.keys = keys
    this.order = [...keys.keys()]
    this.tenantId = tenantId
    this.through = through
    this.passed = through === undefined
  }

  /** The position and hash of the last verified entry. Null at the start of the chain. */
  get head(): ChainHead | null {
    return this.seq === 0 ? null : { seq: this.seq, chain_hash: this.hash }
  }

  /** Starts the verification at a signed checkpoint instead of at the start of the chain. */
  startAt(checkpoint: AuditCheckpoint): FirstBad | undefined {
    this.seq = checkpoint.seq
    this.hash = checkpoint.chain_hash
    return this.checkSigned(checkpoint) ?? this.compare()
  }

  /** Verifies an entry and its seal. */
  passEntry(entry: SealableEntry, seal: AuditSeal): FirstBad | undefined {
    const fault = (reason: FirstBad['reason']) => ({ reason, seq: seal.seq, entry_id: entry.id })
    if (seal.seq !== this.seq + 1) return { reason: 'seal_missing', seq: this.seq + 1 }
    if (!this.isOwn(entry.tenant_id) || entryHashIfAny(entry) !== seal.entry_hash) return fault('entry_changed')
    this.step(seal.entry_hash)
    if (this.hash !== seal.chain_hash) return fault('seal_changed')
    if (seal.seq === 1 && entry.event_type !== 'tenant.created') return fault('beginning_missing')
    this.entries++
    return this.compare()
  }

  /** Verifies the position of an entry in the chain if only the entry's hash is known. */
  passHash(seq: number, hash: string): FirstBad | undefined {
    if (seq !== this.seq + 1) return { reason: 'seal_missing', seq: this.seq + 1 }
    this.step(hash)
    return this.compare()
  }

  /** Verifies a checkpoint at the current position of the chain. */
  passCheckpoint(checkpoint: AuditCheckpoint): FirstBad | undefined {
    const { seq, previous_seq } = checkpoint
    if (seq > this.seq) return { reason: 'seal_missing', seq: this.seq + 1 }
    const signedBefore = this.signed?.seq ?? 0
    const fault = this.checkSigned(checkpoint)
    if (fault) return fault
    if (typeof previous_seq === 'number' && previous_seq !== signedBefore) {
      return { reason: 'checkpoint_missing', seq: previous_seq }
    }
  }

  /** Checks that a checkpoint signs the last verified entry, and that the chain contains the expected entry `through`. */
  finish(): FirstBad | undefined {
    if (this.signed?.seq !== this.seq) return { reason: 'checkpoint_missing', seq: this.seq }
    return this.checkPassed()
  }

  /** Returns the fault `seal_missing` if the chain does not contain the expected entry `through`. */
  checkPassed(): FirstBad | undefined {
    if (!this.passed) return { reason: 'seal_missing', seq: this.through?.seq ?? 0 }
  }

  /**
   * Checks that no seal or checkpoint in the database is after the head (the last entry of the chain). Compares the head with
   * the last verified entry, unless that entry is before the head: an export may contain only a part of the chain. A chain
   * without a head is a fault, because the creation of the tenant is the first entry of every chain.
   */
  checkEnds({ head, last_seal, last_checkpoint }: ChainEnds): FirstBad | undefined {
    const seq = head?.seq ?? 0
    if (last_checkpoint > Math.max(seq, last_seal)) return { reason: 'seal_missing', seq: last_seal + 1 }
    if (!head && last_seal > 0) return { reason: 'head_missing' }
    if (last_seal > seq) return { reason: 'head_changed', seq }
    if (!head) return { reason: 'beginning_missing', seq: 1 }
    if (this.seq === seq && this.hash !== head.chain_hash) return { reason: 'head_changed', seq }
    return this.finish()
  }

  /** Checks that the last line of an export is signed by the newest key that signed the chain, or by a newer key. */
  checkExportEnd(end: AuditExportEnd): FirstBad | undefined {
    const place = this.order.indexOf(end.kid)
    if (place > this.newest || !this.isOwn(end.tenant_id) || !isSignedBy(end, this.keys, exportEndText)) {
      return { reason: 'checkpoint_unverified', seq: end.seq }
    }
    this.signedBy.add(end.kid)
  }

  private checkSigned(checkpoint: AuditCheckpoint): FirstBad | undefined {
    const { seq, chain_hash } = checkpoint
    const place = this.order.indexOf(checkpoint.kid)
    const isByFormerKey = place > this.newest
    if (isByFormerKey || !this.isOwn(checkpoint.tenant_id) || !checkpointHolds(checkpoint, this.keys)) {
      return { reason: 'checkpoint_unverified', seq }
    }
    if (seq !== this.seq || chain_hash !== this.hash) return { reason: 'checkpoint_changed', seq }
    this.newest = place
    this.signed = checkpoint
    this.signedBy.add(checkpoint.kid)
  }

  private isOwn(tenantId: string): boolean {
    this.tenantId ??= tenantId
    return this.tenantId === tenantId
  }

  private compare(): FirstBad | undefined {
    if (this.through === undefined || this.seq !== this.through.seq) return undefined
    this.passed = true
    if (this.hash !== this.through.chain_hash) return { reason: 'head_changed', seq: this.seq }
  }

  private step(entry: string): void {
    this.seq++
    this.hash = nextChainHash(this.hash, this.seq, entry)
  }
}
