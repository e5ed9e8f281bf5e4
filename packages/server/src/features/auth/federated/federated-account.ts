import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import type { SamlIdentity } from '../../../identity/port.ts'
import { type AccountUser, markFederated } from '../account/queries.ts'
import { SignInRefused } from './sign-in-refused.ts'

/**
 * Links a person's identity at the tenant's SAML provider to the account of `user`, a user of this tenant. Returns the account.
 */
export async function linkAccount(
  tx: Tx,
  { services }: Ctx<null>,
  person: SamlIdentity,
  user: AccountUser,
): Promise<string> {
  if (user.account_id === null) throw new SignInRefused('no_account')
  await services.identity.linkFederated(tx, person, user.account_id)
  await markFederated(tx, user.id, user.account_id)
  return user.account_id
}

/**
 * Creates a new account whose address is not verified. A provider is trusted in its own tenant only, and Mandate does not check
 * that the tenant owns the domain of the address. So the provider's claim of an address gives no access to an existing account
 * with this address.
 */
export async function newAccount(tx: Tx, ctx: Ctx<null>, email: string, person: SamlIdentity): Promise<string> {
  const { identity } = ctx.services
  if (await identity.findAccountByEmail(tx, email)) throw new SignInRefused('address_not_verified')
  const { accountId } = await identity.createAccount(tx, { email, emailVerified: false })
  await identity.linkFederated(tx, person, accountId)
  return accountId
}
