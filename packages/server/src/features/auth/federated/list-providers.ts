import type { SignInProvider } from '@mandate/contract/auth'
import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import { findSamlSettings, findTenantOfDomain } from '../account/tenant-queries.ts'

/**
 * Returns the ways in which a person with this address may sign in. The result depends only on the address's domain, so it does
 * not reveal whether the address is known.
 */
export async function listProviders(ctx: Ctx<null>, email?: string): Promise<{ providers: SignInProvider[] }> {
  const providers: SignInProvider[] = [{ type: 'password' }]
  if (ctx.services.identity.google) providers.push({ type: 'google' })
  const saml = email === undefined ? null : await findSamlProvider(ctx, domainOf(email))
  if (saml) providers.push({ type: 'saml', provider: `saml.${saml}` })
  return { providers }
}

/** Returns the domain in lower case and Punycode, as the domains of tenants are stored. */
export function domainOf(email: string): string {
  const key = addressKey(email)
  return key.slice(key.lastIndexOf('@') + 1)
}

async function findSamlProvider({ services }: Ctx<null>, domain: string): Promise<string | null> {
  const found = await findTenantOfDomain(services.db.global, domain)
  const tenant = found && (await findSamlSettings(services.db.reader(found.tenant_id)))
  if (!tenant?.saml_enabled || tenant.saml_email_domain !== domain) return null
  return tenant.saml_provider_id || null
}
