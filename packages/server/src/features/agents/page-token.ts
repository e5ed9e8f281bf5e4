import { createHash } from 'node:crypto'
import { invalid } from '../../refusal.ts'

const checkBytes = 8

/** Names the place after an agent in the tenant's list; opaque to the caller. */
export function pageTokenAfter(tenantId: string, agentId: string): string {
  const id = Buffer.from(agentId.replaceAll('-', ''), 'hex')
  return Buffer.concat([id, check(tenantId, agentId)]).toString('base64url')
}

/** The agent a token names the place after. @throws 400 for a damaged token and for another tenant's */
export function agentBefore(tenantId: string, token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  const agentId = bytes
    .subarray(0, 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (bytes.length !== 16 + checkBytes || pageTokenAfter(tenantId, agentId) !== token) {
    throw invalid('page_token is not one that this list gave')
  }
  return agentId
}

function check(tenantId: string, agentId: string): Buffer {
  return createHash('sha256').update(`agents ${tenantId} ${agentId}`).digest().subarray(0, checkBytes)
}
