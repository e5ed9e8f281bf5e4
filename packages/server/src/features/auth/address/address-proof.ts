import type { Account, Db, IdentityProvider } from '../../../identity/port.ts'

interface Holder {
  account_id: string | null
  /** True also if only the SAML provider of the user's tenant confirmed the address. */
  email_verified: boolean
}

/**
 * True for an account that a SAML provider created and whose address was never verified by mail. A provider is trusted in its own tenant only,
 * so another person may have signed in to the account.
 */
export const isOnProvidersWord = ({ emailVerified, hasPassword }: Account): boolean => !emailVerified && !hasPassword

/** True if the user proved the address, so that it counts as proved in every tenant. */
export async function isAddressProved(
  identity: IdentityProvider,
  db: Db,
  { account_id, email_verified }: Holder,
): Promise<boolean> {
  if (!email_verified) return false
  const account = account_id === null ? null : await identity.getAccount(db, account_id)
  return account === null || !isOnProvidersWord(account)
}
