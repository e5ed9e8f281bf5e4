import { IdentityFailure } from '../../../identity/failure.ts'
import { Refusal } from '../../../refusal.ts'

/**
 * Why a federated sign-in failed. The sign-in page shows the reason, so a reason must not reveal anything about other people's
 * accounts.
 */
export type SignInReason =
  | 'refused'
  | 'unavailable'
  | 'no_account'
  | 'address_not_verified'
  | 'domain_not_served'
  | 'seat_limit_reached'
  | 'invitation_expired'
  | 'owner_elsewhere'
  | 'user_elsewhere'

export class SignInRefused extends Error {
  readonly reason: SignInReason

  constructor(reason: SignInReason) {
    super(reason)
    this.reason = reason
  }
}

/** Returns the reason for an error of a federated sign-in; null for an internal error. */
export function reasonOf(error: unknown): SignInReason | null {
  if (error instanceof SignInRefused) return error.reason
  if (error instanceof IdentityFailure) {
    return error.kind === 'unavailable' || error.kind === 'throttled' ? 'unavailable' : 'refused'
  }
  if (!(error instanceof Refusal)) return null
  if (error.status === 410) return 'invitation_expired'
  const { code } = error
  return code === 'seat_limit_reached' || code === 'owner_elsewhere' || code === 'user_elsewhere' ? code : 'refused'
}
