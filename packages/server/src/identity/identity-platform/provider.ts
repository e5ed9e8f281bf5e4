import { randomBytes } from 'node:crypto'
import { addressKey } from '@mandate/contract/fields/address-key'
import type { UserRecord } from 'firebase-admin/auth'
import { v7 as uuidv7 } from 'uuid'
import { createAttempts } from '../attempts.ts'
import { IdentityFailure } from '../failure.ts'
import type { GoogleClient } from '../google/discover.ts'
import { createGoogleSignIn } from '../google/sign-in.ts'
import { findFederated, linkFederated, unlinkFederated } from '../link-federated.ts'
import { checkPassword } from '../password-policy.ts'
import type { Account, IdentityProvider } from '../port.ts'
import { createSamlSignIn } from '../saml/sign-in.ts'
import { sweepExpired } from '../sweep-expired.ts'
import { connectLazily, type IdentityPlatformProject } from './admin.ts'
import { callSdk, callSdkForAccount } from './explain-error.ts'
import { verifyPassword } from './verify-password.ts'

export type IdentityPlatform = {
  project: IdentityPlatformProject
  google?: GoogleClient | undefined
  now?: (() => Date) | undefined
  /**
   * Secret key of 32 bytes that signs the tokens of sign-in attempts with Google and SAML. The default is a random key, so that
   * a token is valid only in the process that created it.
   */
  attemptKey?: Buffer | undefined
}

/**
 * Stores accounts, passwords and second factors at Google Cloud Identity Platform. Changes take effect immediately and are not
 * part of any transaction. The server itself handles Google and SAML sign-ins, and stores their links to accounts in its own
 * database. People enrol second factors with the platform's own clients. If an account was created outside Mandate, its id is
 * not a UUID.
 */
export function createIdentityPlatform({
  project,
  google,
  now = () => new Date(),
  attemptKey = randomBytes(32),
}: IdentityPlatform): IdentityProvider {
  const attempts = createAttempts(attemptKey)
  const connect = connectLazily(project)
  const getUser = async (accountId: string) => callSdkForAccount((await callSdk(connect())).getUser(accountId))
  return {
    async createAccount(_, { email, password, emailVerified }) {
      const checked = password === undefined ? {} : { password: checkPassword(password, email) }
      const auth = await callSdk(connect())
      const user = await callSdk(
        auth.createUser({ uid: uuidv7(), email: addressKey(email), emailVerified, ...checked }),
      )
      return { accountId: user.uid }
    },
    verifyPassword: (_, credentials) => verifyPassword(project, credentials),
    async setPassword(_, accountId, password) {
      const user = await getUser(accountId)
      if (!user) throw new IdentityFailure('unknown_account', 'no such account')
      const auth = await callSdk(connect())
      await callSdk(auth.updateUser(accountId, { password: checkPassword(password, user.email ?? '') }))
    },
    async markEmailVerified(_, accountId) {
      const auth = await callSdk(connect())
      await callSdk(auth.updateUser(accountId, { emailVerified: true }))
    },
    async findAccountByEmail(_, email) {
      const auth = await callSdk(connect())
      const user = await callSdkForAccount(auth.getUserByEmail(addressKey(email)))
      return user && toAccount(user)
    },
    async getAccount(_, accountId) {
      const user = await getUser(accountId)
      return user && toAccount(user)
    },
    startTotp: refuseEnrolment,
    confirmTotp: refuseEnrolment,
    async hasFactors(_, accountId) {
      const user = await getUser(accountId)
      return (user?.multiFactor?.enrolledFactors.length ?? 0) > 0
    },
    async clearFactors(_, accountId) {
      const auth = await callSdk(connect())
      await callSdkForAccount(auth.updateUser(accountId, { multiFactor: { enrolledFactors: null } }))
    },
    async deleteAccount(db, accountId) {
      await unlinkFederated(db, accountId)
      const auth = await callSdk(connect())
      await callSdkForAccount(auth.deleteUser(accountId))
    },
    async revokeRefreshTokens(_, accountId) {
      const auth = await callSdk(connect())
      await callSdkForAccount(auth.revokeRefreshTokens(accountId))
    },
    linkFederated: (db, subject, accountId) => linkFederated(db, subject, accountId, now()),
    findFederated,
    google: google ? createGoogleSignIn(google, attempts, now) : null,
    saml: createSamlSignIn(attempts, now),
    sweepExpired: (db) => sweepExpired(db, now()),
  }
}

async function refuseEnrolment(): Promise<never> {
  throw new IdentityFailure(
    'unsupported',
    'Mandate cannot enrol second factors at Identity Platform; use a client of Identity Platform',
  )
}

function toAccount(user: UserRecord): Account {
  return {
    accountId: user.uid,
    email: user.email ?? '',
    emailVerified: user.emailVerified,
    hasPassword: user.providerData.some(({ providerId }) => providerId === 'password'),
    createdAt: new Date(user.metadata.creationTime),
  }
}
