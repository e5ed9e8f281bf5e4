import type { Vault } from '../identity/port.ts'
import { invalid } from '../refusal.ts'
import { readBase64url } from '../text/read-base64url.ts'

/**
 * Creates the page token for the rows after a place. The place may be of a row that the caller does not see, so the token is encrypted.
 * The token is valid only with the same context, which names the list and the tenant.
 */
export function sealPlace(vault: Vault, context: string, place: unknown): string {
  return Buffer.from(vault.seal(JSON.stringify(place), context)).toString('base64url')
}

/** Returns the place of a page token. @throws 400 for a token that this list did not return */
export function openPlace<Place>(vault: Vault, context: string, token: string): Place {
  try {
    return JSON.parse(vault.open(readBase64url(token).toString(), context))
  } catch {
    throw invalid('page_token is not a cursor of this list')
  }
}
