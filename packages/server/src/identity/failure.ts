/**
 * Why an identity provider did not do what was asked.
 * - `email_taken`: another account holds the address
 * - `weak_password`: the password policy refuses it; `message` may be shown to the person
 * - `unknown_account`: no account of that id
 * - `refused`: a federated sign-in (OIDC, SAML) proved nothing, or the provider does not take what was given; `message` is for logs only
 * - `unsupported`: this provider cannot do it (for example TOTP enrolment at Identity Platform)
 * - `throttled`: the provider itself asks to slow down
 * - `unavailable`: the provider, or the party it relies on, did not answer as it should; retry is allowed
 */
export type IdentityFailureKind =
  | 'email_taken'
  | 'weak_password'
  | 'unknown_account'
  | 'refused'
  | 'unsupported'
  | 'throttled'
  | 'unavailable'

/** The one error identity providers throw on purpose; anything else is a fault of ours. */
export class IdentityFailure extends Error {
  readonly kind: IdentityFailureKind

  constructor(kind: IdentityFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'IdentityFailure'
    this.kind = kind
  }
}
