import type { Tenant } from '@mandate/contract/tenants'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { conflict, throwIfRefused } from '../../../refusal.ts'
import { lockTenant } from '../lock-tenant.ts'
import { keepEarlierRetention, updateSettings } from '../queries.ts'
import { settingsRefusal } from '../rules.ts'
import { keepDomainLookup, keepProviderLookup } from '../saml/saml-lookup-queries.ts'
import { applySamlChange, type SamlChange, type SamlSettings, samlFields } from '../saml/saml-settings.ts'
import { toWireTenant } from '../wire-tenant.ts'
import { requireOwnTenant } from './get-tenant.ts'
import { findTenantDetails } from './tenant-details.ts'

export type TenantChange = SamlChange & { name?: string | undefined; decision_retention_days?: number | undefined }

export function requireMayChangeTenant(ctx: Ctx<Member>, tenantId: string): void {
  requireOwnTenant(ctx, tenantId)
  throwIfRefused(settingsRefusal(ctx.actor))
}

/** Changes the name of the tenant, how long it keeps decisions, and its SAML settings. The response has only two of the SAML settings. */
export async function updateTenant(ctx: Ctx<Member>, tenantId: string, change: TenantChange): Promise<Tenant> {
  requireMayChangeTenant(ctx, tenantId)
  return await ctx.inTenant(async (tx) => {
    const stored = await lockTenant(tx)
    const name = change.name ?? stored.name
    const retention = change.decision_retention_days ?? stored.decision_retention_days
    const saml = applySamlChange(stored, change, stored.plan)
    const changed = samlFields.filter((field) => saml[field] !== stored[field])
    const details = {
      ...(name !== stored.name && { old_name: stored.name, new_name: name }),
      ...(retention !== stored.decision_retention_days && {
        old_decision_retention_days: stored.decision_retention_days,
        new_decision_retention_days: retention,
      }),
    }
    const updated = Object.keys(details).length > 0
    if (retention !== stored.decision_retention_days) await keepEarlierRetention(tx)
    if (updated || changed.length > 0) await updateSettings(tx, { name, decision_retention_days: retention, ...saml })
    if (updated)
      await recordAudit(tx, ctx, 'tenant.updated', { resource: { type: 'tenant', id: stored.id, name }, details })
    if (changed.length > 0) {
      await keepSamlLookups(tx, saml)
      // Records only the names of the changed fields, because the audit trail must not show certificates and identity providers.
      const details = { fields: changed, saml_enabled: saml.saml_enabled }
      await recordAudit(tx, ctx, 'tenant.saml_updated', { resource: { type: 'tenant', id: stored.id, name }, details })
    }
    const row = { ...stored, ...saml, name, decision_retention_days: retention }
    return { ...toWireTenant(row), ...(await findTenantDetails(tx)) }
  })
}

/**
 * Stores the values by which sign-in finds the tenant: the SAML provider id, and the domain while SAML is enabled. Two tenants
 * cannot have the same provider id or the same domain.
 */
async function keepSamlLookups(tx: Tx, saml: SamlSettings): Promise<void> {
  if (!(await keepDomainLookup(tx, saml.saml_enabled ? saml.saml_email_domain : ''))) {
    throw conflict('another organization already uses this saml_email_domain')
  }
  if (!(await keepProviderLookup(tx, saml.saml_provider_id))) {
    throw conflict('another organization already uses this saml_provider_id')
  }
}
