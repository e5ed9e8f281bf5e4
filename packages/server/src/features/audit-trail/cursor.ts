import { createHash } from 'node:crypto'
import { invalid } from '../../refusal.ts'

const checkBytes = 8

/** Names the place after an entry in the tenant's list; opaque to the caller. */
export function cursorAfter(tenantId: string, entryId: string): string {
  const check = createHash('sha256').update(`audit ${tenantId} ${entryId}`).digest().subarray(0, checkBytes)
  return Buffer.concat([Buffer.from(entryId.replaceAll('-', ''), 'hex'), check]).toString('base64url')
}

/** The entry a cursor names the place after. @throws 400 for a damaged cursor and for another tenant's */
export function entryBefore(tenantId: string, cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  const entryId = hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (cursorAfter(tenantId, entryId) !== cursor) throw invalid('cursor is not one that this list gave')
  return entryId
}
