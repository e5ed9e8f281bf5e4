import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import type { SamlIdentity } from '../../../identity/port.ts'
import type { AccountUser } from '../account/queries.ts'
import { SignInRefused } from './sign-in-refused.ts'

/** Links a person of a tenant's provider to the account of that tenant's user. */
export async function linkAccount(
  tx: Tx,
  { services }: Ctx<null>,
  person: SamlIdentity,
  user: AccountUser,
): Promise<string> {
  if (user.account_id === null) throw new SignInRefused('no_account')
  await services.identity.linkFederated(tx, person, user.account_id)
  return user.account_id
}

/**
 * An account of its own, its address not verified: a provider's word counts in its tenant only, and nothing checks that
 * the tenant owns the domain. An account that is there already is not handed over on that word.
 */
export async function newAccount(tx: Tx, ctx: Ctx<null>, email: string, person: SamlIdentity): Promise<string> {
  const { identity } = ctx.services
  if (await identity.findAccountByEmail(tx, email)) throw new SignInRefused('address_not_verified')
  const { accountId } = await identity.createAccount(tx, { email, emailVerified: false })
  await identity.linkFederated(tx, person, accountId)
  return accountId
}
