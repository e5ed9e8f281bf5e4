import type { Ctx } from '../../caller/ctx.ts'
import { withFaults } from '../../identity/faults.ts'
import { isFaulted } from '../../identity/is-faulted.ts'
import type { IdentityProvider } from '../../identity/port.ts'

/** Returns the identity provider. Its calls fail if an operator has set it to fail for the tenant. */
export function identityOfTenant({ services, sql }: Pick<Ctx, 'services' | 'sql'>): IdentityProvider {
  return withFaults(services.identity, (fault) => isFaulted(services, sql.tenantId, fault))
}
