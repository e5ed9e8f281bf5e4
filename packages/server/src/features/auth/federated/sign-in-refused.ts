import { IdentityFailure } from '../../../identity/failure.ts'
import { Refusal } from '../../../refusal.ts'

/** Why a federated sign-in came to nothing: what the sign-in page is told, and nothing about other people's accounts. */
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

/** The reason behind what a federated sign-in threw; null for a fault of ours. */
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
