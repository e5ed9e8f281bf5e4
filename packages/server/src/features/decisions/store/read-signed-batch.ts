import { DecisionRecord } from '@mandate/contract/edge'
import { chainHash, recordDigest, verifyBatch } from '@mandate/proofs/decision-chain'
import { readValue } from '../../../http/input/read-input.ts'
import { invalid, Refusal } from '../../../refusal.ts'

/** A record of a signed batch that has a place in the chain. Hashes are hexadecimal. */
export interface SignedRecord {
  sent: Record<string, unknown>
  seq: number
  prev: string
  digest: string
  hash: string
  /** The record, or why it is refused. */
  read: { record: DecisionRecord } | { fault: string }
}

/** A record that has no place in the chain, so only its refusal is answered. */
export interface UnplacedRecord {
  sent: Record<string, unknown>
  fault: string
}

export interface SignedBatch {
  placed: SignedRecord[]
  unplaced: UnplacedRecord[]
}

/**
 * Computes the hashes of a signed batch, and verifies its signature over the last record. Each record is read by itself, so a bad record
 * does not refuse the others.
 * @throws 400 if the signature does not verify, or if it does not cover each record that has a place
 */
export function readSignedBatch(
  sent: readonly Record<string, unknown>[],
  publicKeyPem: string,
  signature: string,
): SignedBatch {
  const batch: SignedBatch = { placed: [], unplaced: [] }
  for (const one of sent) {
    const placed = placeOf(one)
    if ('fault' in placed) batch.unplaced.push({ sent: one, fault: placed.fault })
    else batch.placed.push({ sent: one, ...placed, read: readRecord(one) })
  }
  const last = batch.placed.at(-1)
  const isLast = last !== undefined && last.sent === sent.at(-1)
  if (!isLast || !verifyBatch(publicKeyPem, last.hash, signature)) {
    throw invalid('signature does not verify: it must be made with the key over the hash of the last record')
  }
  requireCovered(batch.placed)
  return batch
}

/**
 * The signature covers the records from which the chain leads to the last record. Without this check, a sender without the private key
 * could put records of its own before a record that was signed earlier.
 */
function requireCovered(placed: readonly SignedRecord[]): void {
  for (const [index, { seq, prev }] of placed.entries()) {
    const before = placed[index - 1]
    if (before && (seq !== before.seq + 1 || prev !== before.hash)) {
      const fault = `the record with seq ${seq} does not follow the record before it, which has seq ${before.seq}`
      throw invalid(`signature does not cover the whole batch: ${fault}. Send the records as two batches`)
    }
  }
}

type Place = { seq: number; prev: string; digest: string; hash: string }

function placeOf(sent: Record<string, unknown>): Place | { fault: string } {
  const { seq, prev } = sent as { seq: number; prev: string }
  try {
    const digest = recordDigest(sent)
    return { seq, prev, digest, hash: chainHash({ prev, seq, digest }) }
  } catch {
    return { fault: 'seq and prev must give the record a place in the chain, and it must have an RFC 8785 form' }
  }
}

function readRecord(sent: Record<string, unknown>): SignedRecord['read'] {
  try {
    return { record: readValue(DecisionRecord, sent, 'the record') }
  } catch (refusal) {
    if (refusal instanceof Refusal) return { fault: refusal.message }
    throw refusal
  }
}

/** Returns the record as JSON if the fields that the server stores do not reproduce it exactly, otherwise null. */
export function sentRecordOf({ sent }: SignedRecord, record: DecisionRecord): string | null {
  const { ...known } = record as Record<string, unknown>
  const isSame =
    Object.keys(sent).length === Object.keys(known).length &&
    Object.entries(sent).every(([name, value]) => isEqual(value, known[name]))
  return isSame ? null : JSON.stringify(sent)
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
