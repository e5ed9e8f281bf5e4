import { IdentityFailure } from './failure.ts'
import type { IdentityProvider } from './port.ts'

export type IdentityFault = 'identity.clear_factors' | 'identity.delete_account'

/**
 * Adds simulated faults to a provider, for tests and demonstrations. While `isFaulted` returns true, removing factors or
 * deleting an account fails as if the provider could not be reached.
 */
export function withFaults(
  provider: IdentityProvider,
  isFaulted: (fault: IdentityFault) => Promise<boolean>,
): IdentityProvider {
  async function refuseWhen(fault: IdentityFault) {
    if (await isFaulted(fault)) throw new IdentityFailure('unavailable', `the simulated fault ${fault} is switched on`)
  }
  return {
    ...provider,
    async clearFactors(db, accountId) {
      await refuseWhen('identity.clear_factors')
      await provider.clearFactors(db, accountId)
    },
    async deleteAccount(db, accountId) {
      await refuseWhen('identity.delete_account')
      await provider.deleteAccount(db, accountId)
    },
  }
}
