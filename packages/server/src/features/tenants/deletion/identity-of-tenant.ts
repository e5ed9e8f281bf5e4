import type { Ctx } from '../../../caller/ctx.ts'
import { withFaults } from '../../../identity/faults.ts'
import { isFaulted } from '../../../identity/is-faulted.ts'
import type { IdentityProvider } from '../../../identity/port.ts'

/**
 * Returns the identity provider. For tests and demonstrations, an operator can switch on simulated faults for a tenant. Then
 * some calls of the provider fail.
 */
export function identityOfTenant({ services, sql }: Pick<Ctx, 'services' | 'sql'>): IdentityProvider {
  return withFaults(services.identity, (fault) => isFaulted(services, sql.tenantId, fault))
}
