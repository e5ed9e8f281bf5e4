import type { Vault } from '../../../identity/port.ts'
import { ListCursors } from '../../../paging/list-cursors.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { type Place, type Sort, start } from './sort-queries.ts'

/** Tokens of the list that shows the newest agent first. */
export const newestTokens = new ListCursors('agents', 'page_token')

const contextOf = (tenantId: string, sort: Sort) => `agents page_token ${tenantId} ${sort}`

/** Creates the token for the agents after a place of a sorted list. */
export function tokenAfter(vault: Vault, tenantId: string, sort: Sort, place: Place): string {
  return sealPlace(vault, contextOf(tenantId, sort), place)
}

/**
 * Returns the place of a token; the start of the list without a token.
 * @throws 400 for a token that this list of this tenant did not return
 */
export function placeOfToken(vault: Vault, tenantId: string, sort: Sort, token: string | undefined): Place {
  return token === undefined ? start[sort] : openPlace<Place>(vault, contextOf(tenantId, sort), token)
}
