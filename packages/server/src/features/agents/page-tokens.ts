import type { Vault } from '../../identity/port.ts'
import { invalid } from '../../refusal.ts'
import { ListCursors } from '../../security/list-cursors.ts'
import { type Place, type Sort, start } from './sort-queries.ts'

/** Tokens of the list that shows the newest agent first. */
export const newestTokens = new ListCursors('agents', 'page_token')

const contextOf = (tenantId: string, sort: Sort) => `agents page_token ${tenantId} ${sort}`

/**
 * Creates the token for the agents after a place of a sorted list. The place may be of an agent that the caller does not see,
 * so the token is encrypted.
 */
export function tokenAfter(vault: Vault, tenantId: string, sort: Sort, place: Place): string {
  return Buffer.from(vault.seal(JSON.stringify(place), contextOf(tenantId, sort))).toString('base64url')
}

/**
 * Returns the place of a token; the start of the list without a token.
 * @throws 400 for a token that this list of this tenant did not return
 */
export function placeOfToken(vault: Vault, tenantId: string, sort: Sort, token: string | undefined): Place {
  if (token === undefined) return start[sort]
  try {
    return JSON.parse(vault.open(Buffer.from(token, 'base64url').toString(), contextOf(tenantId, sort)))
  } catch {
    throw invalid('page_token is not a cursor of this list')
  }
}
