import { addressKey } from '@mandate/contract/fields/address-key'
import { email as emailField } from '@mandate/contract/fields/fields'
import { findUserOfAccount } from '../../../caller/caller-queries.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import type { SamlIdentity } from '../../../identity/port.ts'
import { identityDb } from '../account/identity-db.ts'
import { findUser, findUserByAddress, lockInvitationOfUser, markFederated } from '../account/queries.ts'
import { createCodeForDigest } from '../federated/create-code.ts'
import { linkAccount, newAccount } from '../federated/federated-account.ts'
import { cleanFederatedName } from '../federated/federated-name.ts'
import { provisionUser } from '../federated/provision-user.ts'
import type { SamlProvider } from '../federated/saml-provider.ts'
import { SignInRefused } from '../federated/sign-in-refused.ts'
import { requireLive } from '../joining/accept-invitation.ts'
import { joinTenant } from '../joining/join-tenant.ts'

export interface SamlAnswer {
  SAMLResponse: string
  /**
   * The digest of the browser's secret. Mandate sends it as the SAML relay state, and the identity provider returns it
   * unchanged.
   */
  relayState: string | undefined
}

/**
 * Completes a SAML sign-in. Returns a code for the browser that started it. A provider is trusted for its own tenant only: it
 * signs in the tenant's users, lets invited people join, and adds new users with addresses of its domain.
 */
export async function finishSaml(ctx: Ctx<null>, provider: SamlProvider, answer: SamlAnswer): Promise<string> {
  const { identity, db } = ctx.services
  const { SAMLResponse, relayState } = answer
  const person = await identity.saml.finish(identityDb(ctx.services), provider, { SAMLResponse })
  if (!relayState) throw new IdentityFailure('refused', 'the identity provider did not return the RelayState')
  if (!emailField.safeParse(person.email).success) throw new SignInRefused('refused')
  const accountId = await db.transaction(provider.tenantId, (tx) => accountOf(tx, ctx, provider, person))
  return await createCodeForDigest(ctx, accountId, relayState)
}

async function accountOf(tx: Tx, ctx: Ctx<null>, provider: SamlProvider, person: SamlIdentity): Promise<string> {
  const linked = await findLinked(tx, ctx, person)
  if (linked) return linked
  const user = await findUserByAddress(tx, addressKey(person.email))
  if (!user) return await provisionUser(tx, ctx, provider, person)
  if (user.status === 'active') return await linkAccount(tx, ctx, person, user)
  const invited = requireLive(ctx, await lockInvitationOfUser(tx, user.id))
  const account = () => newAccount(tx, ctx, invited.email, person)
  const displayName = invited.display_name || cleanFederatedName(person.displayName)
  return (await joinTenant(tx, ctx, { user: invited, displayName, by: 'saml', account })).accountId
}

async function findLinked(tx: Tx, { services }: Ctx<null>, person: SamlIdentity): Promise<string | null> {
  const linked = await services.identity.findFederated(tx, person)
  const found = linked && (await findUserOfAccount(tx, linked.accountId))
  if (!linked || !found) return null
  const user = found.tenantId === tx.tenantId ? await findUser(tx, found.userId) : undefined
  if (user?.status !== 'active') throw new SignInRefused('no_account')
  // During an update, an instance of an earlier version links accounts without this mark.
  if (!user.federated) await markFederated(tx, user.id, linked.accountId)
  return linked.accountId
}
