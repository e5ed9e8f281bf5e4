import { createHash } from 'node:crypto'
import { invalid } from '../../refusal.ts'
import { uuidOfHex } from '../../uuid-of-hex.ts'

/** A place in the list of decisions: the rows after it are older. */
export interface Place {
  at: string
  decisionId: string
}

const placeBytes = 24
const checkBytes = 8

/** Creates the page token for the decisions after a place. It is valid in one tenant. */
export function tokenAfter(tenantId: string, { at, decisionId }: Place): string {
  const place = Buffer.alloc(placeBytes)
  place.writeBigInt64BE(BigInt(Date.parse(at)))
  place.write(decisionId.replaceAll('-', ''), 8, 'hex')
  return Buffer.concat([place, checkOf(tenantId, place)]).toString('base64url')
}

/** Reads a page token. @throws 400 if `tokenAfter` did not create it for this tenant */
export function placeBefore(tenantId: string, token: string): Place {
  const bytes = Buffer.from(token, 'base64url')
  const place = bytes.subarray(0, placeBytes)
  const isValid = bytes.length === placeBytes + checkBytes && bytes.toString('base64url') === token
  if (!isValid || !checkOf(tenantId, place).equals(bytes.subarray(placeBytes))) {
    throw invalid('page_token is not a cursor of this list')
  }
  return {
    at: new Date(Number(place.readBigInt64BE())).toISOString(),
    decisionId: uuidOfHex(place.toString('hex', 8)),
  }
}

function checkOf(tenantId: string, place: Buffer): Buffer {
  return createHash('sha256').update(`decisions ${tenantId} `).update(place).digest().subarray(0, checkBytes)
}
