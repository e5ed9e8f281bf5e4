import type { DecisionRecord } from '@mandate/contract/edge'
import type { KeptArguments } from '@mandate/contract/kept-arguments'
import type { EdgeActor } from '../../../authz/actor.ts'
import { timeOfId } from '../../../db/ids/new-id.ts'

const dayMs = 24 * 60 * 60_000

/** How far a decision may be ahead of the server's clock, in milliseconds. */
const mostAheadMs = dayMs

/** A decision that will be stored. */
export interface FiledRecord {
  record: DecisionRecord
  /** Decides the partition: the time in the id if the id is a UUIDv7, otherwise the time of arrival. ISO 8601. */
  filedAt: string
  environmentId: string | null
  /** The edge that sent the decision; null for an agent key. */
  edgeId: string | null
  /** The place in the chain of a key; null for an unsigned decision. */
  link: SignedLink | null
  /** What the edge keeps of the arguments. Null if it keeps nothing. */
  kept: KeptArguments | null
}

/** The place of a signed record in the chain of a key. Hashes are hexadecimal. */
export interface SignedLink {
  kid: string
  seq: number
  prev: string
  hash: string
  digest: string
  /** Signature of the batch, if the record is the last of its batch. */
  batchSignature: string | null
  /** The record as JSON, if it differs from what the other columns reproduce. */
  sentRecord: string | null
}

/** The edge that sends the decisions; null for an agent key. */
export function edgeOf(actor: EdgeActor): string | null {
  return actor.kind === 'edge' ? actor.credentialId : null
}

/** True for a UUIDv7, which begins with a time. */
export function isTimed(id: string): boolean {
  return id[14] === '7'
}

/** Returns the time by which a decision is filed. See `FiledRecord.filedAt`. */
export function filedAt({ decision_id: id }: DecisionRecord, now: string): string {
  return isTimed(id) ? new Date(timeOfId(id)).toISOString() : now
}

/**
 * Returns the time by which a decision is filed of which only the id is known. Null if the id has no time, or a time at which no decision can
 * be stored.
 */
export function timeFiled(id: string, now: string): string | null {
  return isTimed(id) && timeOfId(id) <= latestMs(now) ? new Date(timeOfId(id)).toISOString() : null
}

const latestMs = (now: string) => Date.parse(now) + mostAheadMs

/** Returns why a decision is refused because of its time: a text without the field's name. Undefined if its time is possible. */
export function aheadFault(
  record: DecisionRecord,
  now: string,
): { field: 'at' | 'decision_id'; text: string } | undefined {
  if (Date.parse(record.at) > latestMs(now)) return { field: 'at', text: 'must not be more than 24 hours ahead' }
  if (isTimed(record.decision_id) && timeOfId(record.decision_id) > latestMs(now)) {
    return { field: 'decision_id', text: 'must not have a time that is more than 24 hours ahead' }
  }
  return undefined
}

/** True if a decision is older than the tenant's retention, so it is not stored. */
export function isExpired(record: DecisionRecord, filedAt: string, now: string, retentionDays: number): boolean {
  const oldest = oldestKept(now, retentionDays)
  return record.at < oldest || filedAt < oldest
}

/** Returns the start of the time for which decisions are kept. ISO 8601. */
export function oldestKept(now: string, retentionDays: number): string {
  return new Date(Date.parse(now) - retentionDays * dayMs).toISOString()
}
