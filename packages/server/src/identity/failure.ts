/**
 * Why an identity provider refused or failed.
 * - `email_taken`: another account already uses this email address
 * - `weak_password`: the password policy refuses it; `message` may be shown to the person
 * - `unknown_account`: no account has this id
 * - `refused`: a federated sign-in (OIDC, SAML) is not valid, or the provider does not accept a value; `message` is for logs only
 * - `unsupported`: this provider cannot do it, for example TOTP enrolment at Identity Platform
 * - `throttled`: the provider itself limits the rate
 * - `unavailable`: the provider, or a party that it relies on, did not answer correctly; a retry may succeed
 */
export type IdentityFailureKind =
  | 'email_taken'
  | 'weak_password'
  | 'unknown_account'
  | 'refused'
  | 'unsupported'
  | 'throttled'
  | 'unavailable'

/** The only error that identity providers throw on purpose. All other errors are faults of the server. */
export class IdentityFailure extends Error {
  readonly kind: IdentityFailureKind

  constructor(kind: IdentityFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'IdentityFailure'
    this.kind = kind
  }
}
