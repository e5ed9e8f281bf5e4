/** The part of a database that the identity provider needs: a pg client, a pool or an open transaction. */
export type Db = {
  // biome-ignore lint/suspicious/noExplicitAny: rows are as wide as the statement that asked for them
  query(sqlText: string, values?: unknown[]): Promise<{ rows: any[] }>
}

/** Encrypts secrets. An encrypted text can be opened only with the `context` that it was sealed with. */
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

/** A person at another party. `issuer` and `subject` together never change and never go to another person. */
export type FederatedSubject = { issuer: string; subject: string }

export type GoogleIdentity = FederatedSubject & { email: string; emailVerified: boolean; displayName: string | null }

export type SamlIdentity = FederatedSubject & { email: string; displayName: string | null; requestId: string }

/** One tenant's SAML identity provider, and the server's role as its service provider. */
export type SamlProviderSettings = {
  tenantId: string
  providerId: string
  /** Entity id of the tenant's identity provider. Only this issuer is accepted. */
  entityId: string
  ssoUrl: string
  /** X.509 PEM. Only this key is accepted, even if a response contains another certificate. */
  certificate: string
  /** The server's entity id, which every assertion must name as its audience. Must differ between providers. */
  spEntityId: string
  /** The server's assertion consumer URL, which every assertion must name as its recipient. */
  acsUrl: string
}

export type GoogleSignIn = {
  /**
   * Starts a sign-in. Keep `state` in a cookie of the browser that is redirected. Throws IdentityFailure `unavailable` if the issuer
   * cannot be reached.
   */
  startUrl(input: { redirectUri: string }): Promise<{ url: string; state: string }>
  /**
   * Finishes a sign-in. A state works once. `currentUrl` is the requested callback URL, `state` the cookie. `redirectUri` is the one of
   * the start: the code is redeemed with it, because a proxy may change the URL of the request. Throws IdentityFailure `refused`, or
   * `unavailable` if the issuer did not answer.
   */
  finish(db: Db, input: { currentUrl: string; state: string | undefined; redirectUri: string }): Promise<GoogleIdentity>
}

export type SamlSignIn = {
  /** Starts a sign-in. `requestId` may be kept in a cookie and compared with the one that `finish` returns. */
  startUrl(settings: SamlProviderSettings, relayState: string): Promise<{ url: string; requestId: string }>
  /** Finishes a sign-in. Each request and each assertion works once. Throws IdentityFailure `refused`. */
  finish(db: Db, settings: SamlProviderSettings, input: { SAMLResponse: string }): Promise<SamlIdentity>
  /** The server's service provider metadata, as XML. */
  metadata(settings: SamlProviderSettings): string
}

/**
 * Stores the sign-in accounts. Every function takes the database first, so that the embedded provider writes in the caller's transaction.
 * A remote provider changes accounts immediately, so callers change accounts last. All functions may throw IdentityFailure `unavailable`.
 */
export type IdentityProvider = {
  /** Throws IdentityFailure `email_taken` or `weak_password`. */
  createAccount(db: Db, account: NewAccount): Promise<{ accountId: string }>
  /** Unknown addresses and wrong passwords get the same response in the same time. `otp` is a TOTP code or a recovery code. */
  verifyPassword(db: Db, credentials: Credentials): Promise<SignInResult>
  /** Throws IdentityFailure `unknown_account` or `weak_password`. */
  setPassword(db: Db, accountId: string, password: string): Promise<void>
  /** Records that the person owns the account's address. Throws IdentityFailure `unknown_account`. */
  markEmailVerified(db: Db, accountId: string): Promise<void>
  findAccountByEmail(db: Db, email: string): Promise<Account | null>
  getAccount(db: Db, accountId: string): Promise<Account | null>
  /** An active factor stays active until the new one is confirmed. Throws IdentityFailure `unknown_account` or `unsupported`. */
  startTotp(db: Db, accountId: string, label: string): Promise<TotpEnrolment>
  /**
   * Returns new recovery codes; older ones stop working. Null if there is nothing to confirm or the code is wrong. Throws IdentityFailure
   * `unsupported`.
   */
  confirmTotp(db: Db, accountId: string, otp: string): Promise<{ recoveryCodes: string[] } | null>
  hasFactors(db: Db, accountId: string): Promise<boolean>
  clearFactors(db: Db, accountId: string): Promise<void>
  /** Deletes the account and its federated links. A missing account is not an error. */
  deleteAccount(db: Db, accountId: string): Promise<void>
  /** Revokes the refresh tokens that the provider itself has issued. The embedded provider issues none. */
  revokeRefreshTokens(db: Db, accountId: string): Promise<void>
  /** Throws IdentityFailure `refused` if the subject is linked to another account. */
  linkFederated(db: Db, subject: FederatedSubject, accountId: string): Promise<void>
  findFederated(db: Db, subject: FederatedSubject): Promise<{ accountId: string } | null>
  /** Null if no Google client is configured. */
  google: GoogleSignIn | null
  saml: SamlSignIn
  /** Deletes expired sign-in attempts and assertion ids. Call it regularly. */
  sweepExpired(db: Db): Promise<void>
}
