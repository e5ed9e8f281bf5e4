import { randomBytes } from 'node:crypto'
import { createAttempts } from '../attempts.ts'
import type { GoogleClient } from '../google/discover.ts'
import { createGoogleSignIn } from '../google/sign-in.ts'
import { findFederated, linkFederated } from '../link-federated.ts'
import type { IdentityProvider, Vault } from '../port.ts'
import { createSamlSignIn } from '../saml/sign-in.ts'
import { sweepExpired } from '../sweep-expired.ts'
import { deleteAccount, markEmailVerified, setPassword } from './change-account.ts'
import { createAccount } from './create-account.ts'
import { clearFactors, confirmTotp, hasFactors, startTotp } from './enrol-totp.ts'
import { findAccountByEmail, getAccount } from './find-account.ts'
import { verifyPassword } from './verify-password.ts'

export type EmbeddedIdentity = {
  vault: Vault
  google?: GoogleClient | undefined
  now?: (() => Date) | undefined
  /**
   * Secret key of 32 bytes that signs the tokens of sign-in attempts with Google and SAML. The default is a random key, so that
   * a token is valid only in the process that created it.
   */
  attemptKey?: Buffer | undefined
}

/** The default identity provider. It stores accounts in the server's database, within the transaction of the caller. */
export function createEmbeddedIdentity({
  vault,
  google,
  now = () => new Date(),
  attemptKey = randomBytes(32),
}: EmbeddedIdentity): IdentityProvider {
  const attempts = createAttempts(attemptKey)
  return {
    createAccount: (db, account) => createAccount(db, account, now()),
    verifyPassword: (db, credentials) => verifyPassword(db, vault, credentials, now()),
    setPassword,
    markEmailVerified,
    findAccountByEmail,
    getAccount,
    startTotp: (db, accountId, label) => startTotp(db, vault, accountId, label, now()),
    confirmTotp: (db, accountId, otp) => confirmTotp(db, vault, accountId, otp, now()),
    hasFactors,
    clearFactors,
    deleteAccount,
    revokeRefreshTokens: async () => {},
    linkFederated: (db, subject, accountId) => linkFederated(db, subject, accountId, now()),
    findFederated,
    google: google ? createGoogleSignIn(google, attempts, now) : null,
    saml: createSamlSignIn(attempts, now),
    sweepExpired: (db) => sweepExpired(db, now()),
  }
}
