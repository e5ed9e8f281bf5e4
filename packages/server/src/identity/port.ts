/** What the identity provider needs of a database: a pg client, a pool or an open transaction. */
export type Db = {
  // biome-ignore lint/suspicious/noExplicitAny: rows are as wide as the statement that asked for them
  query(sqlText: string, values?: unknown[]): Promise<{ rows: any[] }>
}

/** Seals secrets at rest; `context` is bound to the sealed text, which opens under the same context only. */
export type Vault = {
  seal(plaintext: string, context: string): string
  open(sealed: string, context: string): string
}

export type Account = {
  accountId: string
  email: string
  emailVerified: boolean
  hasPassword: boolean
  createdAt: Date
}

export type NewAccount = { email: string; password?: string | undefined; emailVerified: boolean }

export type Credentials = { email: string; password: string; otp?: string | undefined }

export type SignInResult = { ok: true; accountId: string } | { ok: false; reason: 'invalid' | 'mfa_required' }

export type TotpEnrolment = { secret: string; otpauthUrl: string }

/** A person at another party: `issuer` and `subject` together are stable and never given to someone else. */
export type FederatedSubject = { issuer: string; subject: string }

export type GoogleIdentity = FederatedSubject & { email: string; emailVerified: boolean; displayName: string | null }

export type SamlIdentity = FederatedSubject & { email: string; displayName: string | null; requestId: string }

/** One tenant's SAML identity provider, and ourselves as that tenant's service provider. */
export type SamlProviderSettings = {
  tenantId: string
  providerId: string
  /** Entity id of the tenant's identity provider: the only issuer accepted. */
  entityId: string
  ssoUrl: string
  /** X.509 PEM; the only key accepted, whatever a response carries. */
  certificate: string
  /** Our entity id: the audience every assertion must name. Must differ between providers. */
  spEntityId: string
  /** Our assertion consumer URL: the recipient every assertion must name. */
  acsUrl: string
}

export type GoogleSignIn = {
  /**
   * Begins a sign-in. Keep `state` in a cookie of the browser being sent away.
   * @throws IdentityFailure `unavailable` when the issuer cannot be reached
   */
  startUrl(input: { redirectUri: string }): Promise<{ url: string; state: string }>
  /**
   * Ends a sign-in; a state serves once. `currentUrl` is the callback as it was asked for, `state` the cookie, `redirectUri` the one
   * that the sign-in began with: what is redeemed is that and not a proxy's view of it.
   * @throws IdentityFailure `refused`, or `unavailable` when the issuer did not answer
   */
  finish(db: Db, input: { currentUrl: string; state: string | undefined; redirectUri: string }): Promise<GoogleIdentity>
}

export type SamlSignIn = {
  /** Begins a sign-in. `requestId` may be kept in a cookie and compared with that of `finish`. */
  startUrl(settings: SamlProviderSettings, relayState: string): Promise<{ url: string; requestId: string }>
  /**
   * Ends a sign-in; a request and an assertion serve once each.
   * @throws IdentityFailure `refused`
   */
  finish(db: Db, settings: SamlProviderSettings, input: { SAMLResponse: string }): Promise<SamlIdentity>
  /** Our service provider metadata, as XML. */
  metadata(settings: SamlProviderSettings): string
}

/**
 * Where sign-in accounts live. Every function takes the database first, so that the embedded provider's writes join the
 * caller's transaction; a remote provider acts at once, which is why callers change accounts last.
 * All may throw IdentityFailure `unavailable`.
 */
export type IdentityProvider = {
  /** @throws IdentityFailure `email_taken`, `weak_password` */
  createAccount(db: Db, account: NewAccount): Promise<{ accountId: string }>
  /** Never tells a wrong address from a wrong password, in answer or in time. `otp` is a TOTP or a recovery code. */
  verifyPassword(db: Db, credentials: Credentials): Promise<SignInResult>
  /** @throws IdentityFailure `unknown_account`, `weak_password` */
  setPassword(db: Db, accountId: string, password: string): Promise<void>
  /** Records that the account's address is the person's own. @throws IdentityFailure `unknown_account` */
  markEmailVerified(db: Db, accountId: string): Promise<void>
  findAccountByEmail(db: Db, email: string): Promise<Account | null>
  getAccount(db: Db, accountId: string): Promise<Account | null>
  /** A factor in force stays in force until the new one is confirmed. @throws IdentityFailure `unknown_account`, `unsupported` */
  startTotp(db: Db, accountId: string, label: string): Promise<TotpEnrolment>
  /** `null`: nothing to confirm, or a wrong code. Older recovery codes stop working. @throws IdentityFailure `unsupported` */
  confirmTotp(db: Db, accountId: string, otp: string): Promise<{ recoveryCodes: string[] } | null>
  hasFactors(db: Db, accountId: string): Promise<boolean>
  clearFactors(db: Db, accountId: string): Promise<void>
  /** Removes the account and its federated links. An account that is already gone is no error. */
  deleteAccount(db: Db, accountId: string): Promise<void>
  /** Revokes what the provider itself has handed out; the embedded one hands out nothing. */
  revokeRefreshTokens(db: Db, accountId: string): Promise<void>
  /** @throws IdentityFailure `refused` when the subject is linked to another account */
  linkFederated(db: Db, subject: FederatedSubject, accountId: string): Promise<void>
  findFederated(db: Db, subject: FederatedSubject): Promise<{ accountId: string } | null>
  /** `null` when no Google client is configured. */
  google: GoogleSignIn | null
  saml: SamlSignIn
  /** Deletes expired sign-in attempts and remembered assertions. To be run now and then. */
  sweepExpired(db: Db): Promise<void>
}
