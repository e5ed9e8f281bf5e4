import { IdentityFailure, type IdentityFailureKind } from '../../../identity/failure.ts'
import { conflict, invalid, Refusal, tooMany } from '../../../refusal.ts'

/** `Retry-After` in seconds. It is a fixed value, because the provider does not say when it accepts the next attempt. */
const retryAfter = 60

const refusals: Record<IdentityFailureKind, (failure: IdentityFailure) => Refusal> = {
  weak_password: (failure) => invalid(failure.message),
  email_taken: () => conflict('this address already has an account'),
  unknown_account: () =>
    new Refusal(401, 'your sign-in account was deleted; ask an owner of your organization for help'),
  refused: () => new Refusal(401, 'the identity provider refused the sign-in'),
  unsupported: () =>
    conflict('Mandate cannot enrol a second factor with this identity provider; enrol it at the provider'),
  throttled: () => tooMany('too many requests', retryAfter),
  unavailable: () => new Refusal(502, 'the identity provider did not answer; try again'),
}

/** Returns the error response that the client gets if a request to an identity provider failed. */
export function refusalOf(failure: IdentityFailure): Refusal {
  return refusals[failure.kind](failure)
}

/** Runs a function that calls the identity provider. If the provider fails, throws the error response for this failure. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof IdentityFailure ? refusalOf(error) : error
  }
}
