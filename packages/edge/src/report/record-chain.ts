import { hash } from 'node:crypto'
import type { DecisionRecord } from '@mandate/contract/edge'
import { chainHash, firstPrev, recordDigest } from '@mandate/proofs/decision-chain'

/** The last record of a key's chain: its number and its chain hash. */
export interface ChainHead {
  seq: number
  hash: string
}

/** A decision record with its position in the chain of a key. */
export type ChainedRecord = DecisionRecord & { seq: number; prev: string }

/** The head of a chain without records. */
export const emptyChain: ChainHead = { seq: 0, hash: firstPrev }

/** Appends a record, given by its RFC 8785 form, to a chain. Returns the line for the spool and the new head. */
export function chainLine(text: string, { seq: before, hash: prev }: ChainHead): { line: string; head: ChainHead } {
  const seq = before + 1
  const digest = hash('sha256', text, 'hex')
  return {
    line: `${text.slice(0, -1)},"prev":"${prev}","seq":${seq}}\n`,
    head: { seq, hash: chainHash({ prev, seq, digest }) },
  }
}

/** The head of a chain that ends with this record. @throws if the record has no RFC 8785 form */
export function headAfter(record: ChainedRecord): ChainHead {
  const { seq, prev } = record
  return { seq, hash: chainHash({ prev, seq, digest: recordDigest(record) }) }
}

/** The record without its position in a chain. */
export function unchained({ seq: _seq, prev: _prev, ...record }: DecisionRecord): DecisionRecord {
  return record
}

export function isChained(record: DecisionRecord): record is ChainedRecord {
  const { seq = 0, prev } = record
  return Number.isSafeInteger(seq) && seq > 0 && typeof prev === 'string' && /^[0-9a-f]{64}$/.test(prev)
}
