import { IdentityFailure, type IdentityFailureKind } from '../failure.ts'

const KINDS: Record<string, IdentityFailureKind> = {
  'auth/user-not-found': 'unknown_account',
  'auth/email-already-exists': 'email_taken',
  'auth/invalid-password': 'weak_password',
  'auth/weak-password': 'weak_password',
  'auth/password-does-not-meet-requirements': 'weak_password',
  'auth/invalid-email': 'refused',
  'auth/too-many-requests': 'throttled',
}

/** Runs one call of the SDK. Converts the errors of the SDK to IdentityFailure, by default `unavailable`. */
export async function callSdk<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    throw new IdentityFailure(KINDS[code] ?? 'unavailable', `Identity Platform: ${code || 'no answer'}`, { cause })
  }
}

/** Like `callSdk`, for a call that concerns one account. Returns null if the account does not exist. */
export async function callSdkForAccount<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await callSdk(call)
  } catch (error) {
    if (error instanceof IdentityFailure && error.kind === 'unknown_account') return null
    throw error
  }
}
