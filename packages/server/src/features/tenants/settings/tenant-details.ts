import type { Tenant } from '@mandate/contract/tenants'
import type { Sql } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists/bounded-count.ts'
import { raw } from '../../../db/statements/statement.ts'
import { samlFields } from '../saml/saml-settings.ts'

const samlTexts = samlFields.filter((field) => field !== 'saml_enabled')
const seated = 'users u where u.tenant_id = $1 and not u.academy_only'

const detailsText = `
  select json_build_object('max', coalesce(t.max_users_override, p.max_users), 'used', ${boundedCount(seated)},
      'invited', ${boundedCount(`${seated} and u.status = 'pending'`)}) as seats,
    array_remove(array[${samlTexts.map((field) => `case when t.${field} <> '' then '${field}' end`).join(', ')}], null) as saml_configured
  from tenants t join plans p on p.name = t.plan where t.id = $1`

/** The fields of a tenant that are computed: its seats, and which SAML settings have a value. */
export type TenantDetails = Required<Pick<Tenant, 'seats' | 'saml_configured'>>

/** Returns undefined if the tenant was deleted. */
export function findTenantDetails(db: Sql): Promise<TenantDetails | undefined> {
  return db.maybe(raw<TenantDetails>(detailsText, [db.tenantId]))
}
