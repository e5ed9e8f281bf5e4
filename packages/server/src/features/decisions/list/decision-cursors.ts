import type { Vault } from '../../../identity/port.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'

/** A place in the list of decisions: the rows after it are older. */
export interface Place {
  at: string
  decisionId: string
}

const contextOf = (tenantId: string) => `decisions page_token ${tenantId}`

/** Creates the page token for the decisions after a place. It is valid in one tenant. */
export function tokenAfter(vault: Vault, tenantId: string, { at, decisionId }: Place): string {
  return sealPlace(vault, contextOf(tenantId), [at, decisionId])
}

/** Returns the place of a page token. @throws 400 if `tokenAfter` did not create it for this tenant */
export function placeOfToken(vault: Vault, tenantId: string, token: string): Place {
  const [at, decisionId] = openPlace<[string, string]>(vault, contextOf(tenantId), token)
  return { at, decisionId }
}
