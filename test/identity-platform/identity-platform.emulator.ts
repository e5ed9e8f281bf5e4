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
  it('has an id of Mandate, and is found by id and by address in any letter case', async () => {
    const { email, accountId } = await newAccount()
    expect(accountId).toMatch(/^[0-9a-f-]{36}$/)
    const found = await identity.findAccountByEmail(db, ` ${email.toUpperCase()} `)
    expect(found).toEqual({ accountId, email, emailVerified: true, hasPassword: true, createdAt: expect.any(Date) })
    expect(await identity.getAccount(db, accountId)).toEqual(found)
    expect(await identity.findAccountByEmail(db, `${randomUUID()}@example.com`)).toBeNull()
    expect(await identity.getAccount(db, unknownId)).toBeNull()
  })

  it('can be created without a password, for federated sign-in', async () => {
    const email = `${randomUUID()}@example.com`
    await identity.createAccount(db, { email, emailVerified: false })
    expect(await identity.findAccountByEmail(db, email)).toMatchObject({ hasPassword: false, emailVerified: false })
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
  })

  it('is refused for an address that is taken, and for a weak password', async () => {
    const { email } = await newAccount()
    const again = identity.createAccount(db, { email: email.toUpperCase(), password, emailVerified: false })
    await expect(again).rejects.toMatchObject({ kind: 'email_taken' })
    const weak = identity.createAccount(db, { email: 'a@example.com', password: 'short', emailVerified: false })
    await expect(weak).rejects.toMatchObject({ kind: 'weak_password' })
  })

  it('signs in with its password, and gets the same refusal for a wrong password as for an unknown address', async () => {
    const { email, accountId } = await newAccount()
    expect(await identity.verifyPassword(db, { email, password })).toEqual({ ok: true, accountId })
    expect(await identity.verifyPassword(db, { email, password: 'wrong password' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password: '' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email: `${randomUUID()}@example.com`, password })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email: 'no address', password })).toEqual(invalid)
  })

  it('cannot sign in if the platform has disabled it', async () => {
    const { email, accountId } = await newAccount()
    await sdk().updateUser(accountId, { disabled: true })
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
  })

  it('accepts a new strong password', async () => {
    const { email, accountId } = await newAccount()
    await identity.setPassword(db, accountId, 'another good one')
    expect(await identity.verifyPassword(db, { email, password })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password: 'another good one' })).toMatchObject({ ok: true })
    await expect(identity.setPassword(db, accountId, email)).rejects.toMatchObject({ kind: 'weak_password' })
    await expect(identity.setPassword(db, unknownId, password)).rejects.toMatchObject({ kind: 'unknown_account' })
  })

  it('can have its address marked as verified', async () => {
    const email = `${randomUUID()}@example.com`
    const { accountId } = await identity.createAccount(db, { email, password, emailVerified: false })
    await identity.markEmailVerified(db, accountId)
    expect(await identity.getAccount(db, accountId)).toMatchObject({ emailVerified: true })
    await expect(identity.markEmailVerified(db, unknownId)).rejects.toMatchObject({ kind: 'unknown_account' })
  })

  it('is deleted with its federated links, and a second deletion succeeds', async () => {
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
  it('are asked for only after the correct password, and an invalid code is refused', async () => {
    const { email, accountId } = await newAccount()
    expect(await identity.hasFactors(db, accountId)).toBe(false)
    await enrolPhone(accountId)
    expect(await identity.hasFactors(db, accountId)).toBe(true)
    expect(await identity.verifyPassword(db, { email, password })).toEqual({ ok: false, reason: 'mfa_required' })
    expect(await identity.verifyPassword(db, { email, password: 'wrong password' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password, otp: '123456' })).toEqual(invalid)
  })

  it('can be cleared, and then the password alone signs in', async () => {
    const { email, accountId } = await newAccount()
    await enrolPhone(accountId)
    await identity.clearFactors(db, accountId)
    expect(await identity.hasFactors(db, accountId)).toBe(false)
    expect(await identity.verifyPassword(db, { email, password })).toEqual({ ok: true, accountId })
    await identity.clearFactors(db, unknownId)
  })

  it('cannot be enrolled through Mandate', async () => {
    const { accountId, email } = await newAccount()
    await expect(identity.startTotp(db, accountId, email)).rejects.toMatchObject({ kind: 'unsupported' })
    await expect(identity.confirmTotp(db, accountId, '123456')).rejects.toMatchObject({ kind: 'unsupported' })
  })
})

describe('an unreachable platform', () => {
  it('is reported as unavailable, not as a wrong password', async () => {
    const gone = createIdentityPlatform({ project: { ...project, emulatorHost: '127.0.0.1:9' } })
    const attempt = gone.verifyPassword(db, { email: 'a@example.com', password })
    await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is also reported as unavailable for calls through its SDK', async () => {
    const credentialless = createIdentityPlatform({
      project: { projectId: 'other', apiKey: 'any', serviceAccount: '{"type": "service_account"}' },
    })
    await expect(credentialless.deleteAccount(db, unknownId)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
