import type { Ctx } from '../../../caller/ctx.ts'
import type { SamlProviderSettings } from '../../../identity/port.ts'
import { notFound } from '../../../refusal.ts'
import { certificatesOf } from '../../tenants/saml/saml-settings.ts'
import { findSamlSettings, findTenantOfProvider } from '../account/tenant-queries.ts'

export type SamlProvider = SamlProviderSettings & { emailDomain: string }

/** Returns a tenant's SAML provider by its id, with or without the prefix `saml.`. @throws 404 if it is unknown or SAML is disabled */
export async function requireSamlProvider({ services }: Ctx<null>, given: string): Promise<SamlProvider> {
  const { db, config } = services
  const bare = given.startsWith('saml.') ? given.slice('saml.'.length) : given
  const found = (await findTenantOfProvider(db.global, bare)) ?? (await findTenantOfProvider(db.global, given))
  const tenant = found && (await findSamlSettings(db.reader(found.tenant_id)))
  if (!tenant?.saml_enabled || ![bare, given].includes(tenant.saml_provider_id)) throw notFound('SAML provider')
  const ours = `${config.publicUrl}/api/v1/auth/saml/${tenant.saml_provider_id}`
  return {
    tenantId: tenant.id,
    providerId: tenant.saml_provider_id,
    entityId: tenant.saml_entity_id,
    ssoUrl: tenant.saml_sso_url,
    certificates: certificatesOf(tenant.saml_certificate),
    emailDomain: tenant.saml_email_domain,
    spEntityId: `${ours}/metadata`,
    acsUrl: `${ours}/acs`,
  }
}
