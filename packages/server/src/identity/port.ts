/**
 * The part of a database client that an identity provider needs. A pg client, a pool and an open transaction all provide it.
 */
export type Db = {
  // biome-ignore lint/suspicious/noExplicitAny: each statement has its own columns
  query(sqlText: string, values?: unknown[]): Promise<{ rows: any[] }>
}

/**
 * Encrypts and decrypts secrets. An encrypted text can only be decrypted with the `context` with which it was encrypted.
 */
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

/**
 * A person's identity at an external provider, such as Google or a SAML identity provider. `issuer` and `subject` together
 * identify the person. The pair never changes, and no other person ever gets it.
 */
export type FederatedSubject = { issuer: string; subject: string }

export type GoogleIdentity = FederatedSubject & { email: string; emailVerified: boolean; displayName: string | null }

export type SamlIdentity = FederatedSubject & { email: string; displayName: string | null; requestId: string }

/** The SAML identity provider of one tenant, and the settings of the server as its service provider. */
export type SamlProviderSettings = {
  tenantId: string
  providerId: string
  /** Entity id of the tenant's identity provider. Responses from any other issuer are rejected. */
  entityId: string
  ssoUrl: string
  /**
   * The provider's certificates, each as X.509 PEM. Responses must be signed with the key of one of them, even if they contain another certificate.
   */
  certificates: readonly string[]
  /**
   * The entity id of the server as a service provider. It is different for each identity provider. Every assertion must contain
   * this id as its audience.
   */
  spEntityId: string
  /**
   * The URL to which the browser sends the response (assertion consumer URL). Every assertion must name it as its recipient.
   */
  acsUrl: string
}

export type GoogleSignIn = {
  /**
   * Starts a sign-in. Store `state` in a cookie of the browser that is redirected. Throws IdentityFailure `unavailable` if the
   * issuer cannot be reached.
   */
  startUrl(input: { redirectUri: string }): Promise<{ url: string; state: string }>
  /**
   * Finishes a sign-in. Each state can be used only once. `currentUrl` is the callback URL that was requested. `state` is the
   * value of the cookie. `redirectUri` must be the value that was passed to `startUrl`. The code is redeemed with `redirectUri`
   * and not with `currentUrl`, because a proxy may have changed the URL of the request. Throws IdentityFailure `refused`, or
   * `unavailable` if the issuer did not answer.
   */
  finish(db: Db, input: { currentUrl: string; state: string | undefined; redirectUri: string }): Promise<GoogleIdentity>
}

export type SamlSignIn = {
  /**
   * Starts a sign-in. The caller may store `requestId` in a cookie, and compare it with the `requestId` that `finish` returns.
   */
  startUrl(settings: SamlProviderSettings, relayState: string): Promise<{ url: string; requestId: string }>
  /** Finishes a sign-in. Each request and each assertion can be used only once. Throws IdentityFailure `refused`. */
  finish(db: Db, settings: SamlProviderSettings, input: { SAMLResponse: string }): Promise<SamlIdentity>
  /** The SAML metadata of the server as a service provider, as XML. */
  metadata(settings: SamlProviderSettings): Promise<string>
}

/**
 * Stores the accounts with which people sign in. The first argument of every function is the database connection, so that the
 * embedded provider can write in the caller's transaction. A remote provider changes accounts immediately and cannot be rolled
 * back, so callers change accounts as their last step. Every function may throw IdentityFailure `unavailable`.
 */
export type IdentityProvider = {
  /** Creates an account. Throws IdentityFailure `email_taken` or `weak_password`. */
  createAccount(db: Db, account: NewAccount): Promise<{ accountId: string }>
  /** Unknown addresses and wrong passwords get the same response in the same time. `otp` is a TOTP code or a recovery code. */
  verifyPassword(db: Db, credentials: Credentials): Promise<SignInResult>
  /** Changes the password. Throws IdentityFailure `unknown_account` or `weak_password`. */
  setPassword(db: Db, accountId: string, password: string): Promise<void>
  /** Records that the person owns the account's address. Throws IdentityFailure `unknown_account`. */
  markEmailVerified(db: Db, accountId: string): Promise<void>
  findAccountByEmail(db: Db, email: string): Promise<Account | null>
  getAccount(db: Db, accountId: string): Promise<Account | null>
  /**
   * Starts the enrolment of a second factor. An active factor stays active until the new factor is confirmed. Throws
   * IdentityFailure `unknown_account`, or `unsupported` if this provider does not let Mandate enrol factors.
   */
  startTotp(db: Db, accountId: string, label: string): Promise<TotpEnrolment>
  /**
   * Confirms the enrolment of a second factor. Returns new recovery codes, and invalidates older ones. Returns null if there is
   * no enrolment to confirm or the code is wrong. Throws IdentityFailure `unsupported` if this provider does not let Mandate
   * enrol factors.
   */
  confirmTotp(db: Db, accountId: string, otp: string): Promise<{ recoveryCodes: string[] } | null>
  hasFactors(db: Db, accountId: string): Promise<boolean>
  clearFactors(db: Db, accountId: string): Promise<void>
  /** Deletes the account and its federated links. Does nothing if the account does not exist. */
  deleteAccount(db: Db, accountId: string): Promise<void>
  /**
   * Revokes the refresh tokens that the identity provider itself has issued. The embedded provider issues no refresh tokens.
   */
  revokeRefreshTokens(db: Db, accountId: string): Promise<void>
  /**
   * Links a person's identity at an external provider, such as Google, to an account. Throws IdentityFailure `refused` if the
   * identity is linked to another account.
   */
  linkFederated(db: Db, subject: FederatedSubject, accountId: string): Promise<void>
  findFederated(db: Db, subject: FederatedSubject): Promise<{ accountId: string } | null>
  /** Sign-in with Google. Null if no Google client is configured. */
  google: GoogleSignIn | null
  saml: SamlSignIn
  /** Deletes expired sign-in attempts and assertion ids. Call it regularly. */
  sweepExpired(db: Db): Promise<void>
}
