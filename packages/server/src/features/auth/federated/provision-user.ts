import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import type { SamlIdentity } from '../../../identity/port.ts'
import { coded } from '../../../refusal.ts'
import { requireFreeSeat } from '../../tenants/invitations/seats.ts'
import { findUserByAddress, insertUser } from '../account/queries.ts'
import { joinTenant } from '../joining/join-tenant.ts'
import { linkAccount, newAccount } from './federated-account.ts'
import { cleanFederatedName } from './federated-name.ts'
import { domainOf } from './list-providers.ts'
import type { SamlProvider } from './saml-provider.ts'
import { SignInRefused } from './sign-in-refused.ts'

/**
 * Creates a user for a person that the tenant's own provider signed in, if the address is of the tenant's domain and a seat is
 * free. The person was not invited, so they get the lowest rights: the role viewer and the access scope `scoped`.
 */
export async function provisionUser(
  tx: Tx,
  ctx: Ctx<null>,
  provider: SamlProvider,
  person: SamlIdentity,
): Promise<string> {
  const email = person.email.trim()
  if (domainOf(email) !== provider.emailDomain) throw new SignInRefused('domain_not_served')
  await requireFreeSeat(tx, () => coded('seat_limit_reached'))
  // Checks again: another request may have invited or provisioned the address while this transaction waited for the tenant's
  // lock.
  const meanwhile = await findUserByAddress(tx, addressKey(email))
  if (meanwhile) return await linkAccount(tx, ctx, person, meanwhile)
  const displayName = cleanFederatedName(person.displayName)
  const user = await insertUser(tx, {
    id: newId(),
    email,
    display_name: displayName,
    role: 'viewer',
    access_scope: 'scoped',
    created_at: ctx.now,
  })
  const account = () => newAccount(tx, ctx, email, person)
  return (await joinTenant(tx, ctx, { user, displayName, by: 'saml', account })).accountId
}
