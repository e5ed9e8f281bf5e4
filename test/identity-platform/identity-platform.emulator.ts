import { randomUUID } from 'node:crypto'
import { getApps } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIdentityPlatform } from '../../packages/server/src/identity/identity-platform/provider.ts'
import {
  createIdentityDatabase,
  type IdentityDatabase,
} from '../../packages/server/src/identity/testing/identity-database.ts'

const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST as string
const project = { projectId: 'demo-mandate', apiKey: 'any', emulatorHost }
const identity = createIdentityPlatform({ project })
const password = 'correct horse battery'
const unknownId = '0197f000-0000-7000-8000-000000000000'
const invalid = { ok: false, reason: 'invalid' }
let database: IdentityDatabase
let db: IdentityDatabase['pool']

beforeAll(async () => {
  database = await createIdentityDatabase()
  db = database.pool
  await identity.getAccount(db, unknownId)
  await sdk()
    .projectConfigManager()
    .updateProjectConfig({ multiFactorConfig: { state: 'ENABLED', factorIds: ['phone'] } })
})
afterAll(() => database.drop())

function sdk() {
  return getAuth(getApps()[0])
}

async function newAccount() {
  const email = `${randomUUID()}@example.com`
  const { accountId } = await identity.createAccount(db, { email, password, emailVerified: true })
  return { email, accountId }
}

async function enrolPhone(accountId: string) {
  const factor = { factorId: 'phone', phoneNumber: '+16505550100', uid: randomUUID() }
  await sdk().updateUser(accountId, { multiFactor: { enrolledFactors: [factor] } })
}

describe('an account at the platform', () => {
  it('has an id of ours and is found by address in any case, and by id', async () => {
    const { email, accountId } = await newAccount()
    expect(accountId).toMatch(/^[0-9a-f-]{36}$/)
    const found = await identity.findAccountByEmail(db, ` ${email.toUpperCase()} `)
    expect(found).toEqual({ accountId, email, emailVerified: true, hasPassword: true, createdAt: expect.any(Date) })
    expect(await identity.getAccount(db, accountId)).toEqual(found)
    expect(await identity.findAccountByEmail(db, `${randomUUID()}@example.com`)).toBeNull()
    expect(await identity.getAccount(db, unknownId)).toBeNull()
  })

  it('may be made without a password, for federated sign-in', async () => {
    const email = `${randomUUID()}@example.com`
    await identity.createAccount(db, { email, emailVerified: false })
    expect(await identity.findAccountByEmail(db, email)).toMatchObject({ hasPassword: false, emailVerified: false })
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
  })

  it('is refused a second time for its address, and with a weak password', async () => {
    const { email } = await newAccount()
    const again = identity.createAccount(db, { email: email.toUpperCase(), password, emailVerified: false })
    await expect(again).rejects.toMatchObject({ kind: 'email_taken' })
    const weak = identity.createAccount(db, { email: 'a@example.com', password: 'short', emailVerified: false })
    await expect(weak).rejects.toMatchObject({ kind: 'weak_password' })
  })

  it('signs in with its password, and any other is refused as an unknown address is', async () => {
    const { email, accountId } = await newAccount()
    expect(await identity.verifyPassword(db, { email, password })).toEqual({ ok: true, accountId })
    expect(await identity.verifyPassword(db, { email, password: 'wrong password' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password: '' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email: `${randomUUID()}@example.com`, password })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email: 'no address', password })).toEqual(invalid)
  })

  it('that is disabled at the platform does not sign in', async () => {
    const { email, accountId } = await newAccount()
    await sdk().updateUser(accountId, { disabled: true })
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
  })

  it('takes a new password, a good one', async () => {
    const { email, accountId } = await newAccount()
    await identity.setPassword(db, accountId, 'another good one')
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password: 'another good one' })).toMatchObject({ ok: true })
    await expect(identity.setPassword(db, accountId, email)).rejects.toMatchObject({ kind: 'weak_password' })
    await expect(identity.setPassword(db, unknownId, password)).rejects.toMatchObject({ kind: 'unknown_account' })
  })

  it('has its address marked as verified', async () => {
    const email = `${randomUUID()}@example.com`
    const { accountId } = await identity.createAccount(db, { email, password, emailVerified: false })
    await identity.markEmailVerified(db, accountId)
    expect(await identity.getAccount(db, accountId)).toMatchObject({ emailVerified: true })
    await expect(identity.markEmailVerified(db, unknownId)).rejects.toMatchObject({ kind: 'unknown_account' })
  })

  it('is deleted with its federated links, and may be deleted twice', async () => {
    const { email, accountId } = await newAccount()
    const subject = { issuer: 'https://issuer.example', subject: accountId }
    await identity.linkFederated(db, subject, accountId)
    expect(await identity.findFederated(db, subject)).toEqual({ accountId })
    await identity.deleteAccount(db, accountId)
    await identity.deleteAccount(db, accountId)
    expect(await identity.getAccount(db, accountId)).toBeNull()
    expect(await identity.findFederated(db, subject)).toBeNull()
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
  })

  it('has its refresh tokens revoked', async () => {
    const { accountId } = await newAccount()
    const before = (await sdk().getUser(accountId)).tokensValidAfterTime as string
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await identity.revokeRefreshTokens(db, accountId)
    const after = (await sdk().getUser(accountId)).tokensValidAfterTime as string
    expect(Date.parse(after)).toBeGreaterThan(Date.parse(before))
    await identity.revokeRefreshTokens(db, unknownId)
  })
})

describe('second factors at the platform', () => {
  it('are asked for, of those alone who know the password, and a made-up code is refused', async () => {
    const { email, accountId } = await newAccount()
    expect(await identity.hasFactors(db, accountId)).toBe(false)
    await enrolPhone(accountId)
    expect(await identity.hasFactors(db, accountId)).toBe(true)
    expect(await identity.verifyPassword(db, { email, password })).toEqual({ ok: false, reason: 'mfa_required' })
    expect(await identity.verifyPassword(db, { email, password: 'wrong password' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password, otp: '123456' })).toEqual(invalid)
  })

  it('are cleared, and the password alone signs in again', async () => {
    const { email, accountId } = await newAccount()
    await enrolPhone(accountId)
    await identity.clearFactors(db, accountId)
    expect(await identity.hasFactors(db, accountId)).toBe(false)
    expect(await identity.verifyPassword(db, { email, password })).toEqual({ ok: true, accountId })
    await identity.clearFactors(db, unknownId)
  })

  it('are not enrolled through us', async () => {
    const { accountId, email } = await newAccount()
    await expect(identity.startTotp(db, accountId, email)).rejects.toMatchObject({ kind: 'unsupported' })
    await expect(identity.confirmTotp(db, accountId, '123456')).rejects.toMatchObject({ kind: 'unsupported' })
  })
})

describe('a platform that does not answer', () => {
  it('is unavailable, not a wrong password', async () => {
    const gone = createIdentityPlatform({ project: { ...project, emulatorHost: '127.0.0.1:9' } })
    const attempt = gone.verifyPassword(db, { email: 'a@example.com', password })
    await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is unavailable to the SDK’s calls too', async () => {
    const credentialless = createIdentityPlatform({
      project: { projectId: 'other', apiKey: 'any', serviceAccount: '{"type": "service_account"}' },
    })
    await expect(credentialless.deleteAccount(db, unknownId)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
