import type { DecisionRecord } from '@mandate/contract/edge'
import type { StoredRecord } from './receipt-queries.ts'

/**
 * Returns a signed record as the edge sent it, so its digest is the signed one. It may have further fields, and fields that are not in the
 * normal form of the contract.
 */
export function rebuildRecord({ sentRecord, columns, seq, prev }: StoredRecord): DecisionRecord {
  if (sentRecord !== null) return JSON.parse(sentRecord)
  const { policy_version, result_of, details, ...fields } = columns
  const sent = Object.entries({ ...fields, of: result_of }).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(sent), policy_version, ...details, seq, prev } as DecisionRecord
}
