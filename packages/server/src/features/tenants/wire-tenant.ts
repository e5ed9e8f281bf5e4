import type { Tenant } from '@mandate/contract/tenants'

/** The columns of `tenants` that responses contain. */
export const tenantColumns = [
  'id',
  'name',
  'plan',
  'governance_gate',
  'saml_enabled',
  'saml_email_domain',
  'decision_retention_days',
  'created_at',
] as const satisfies (keyof Tenant)[]

/**
 * Returns the JSON of a tenant. `row` may contain columns of other tables. `prefix` is the prefix of the tenant's column names.
 */
export function toWireTenant<P extends string = ''>(row: TenantRow<P>, prefix = '' as P): Tenant {
  const fields = tenantColumns.map((column) => [column, row[`${prefix}${column}`]])
  return Object.fromEntries(fields) as Tenant
}

/** A row of `tenantColumns`. */
export type TenantRow<P extends string = ''> = { [C in (typeof tenantColumns)[number] as `${P}${C}`]: unknown }
