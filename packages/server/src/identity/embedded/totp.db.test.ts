import { randomBytes, randomUUID } from 'node:crypto'
import { Secret, TOTP, URI } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { IdentityProvider } from '../port.ts'
import { createIdentityDatabase, type IdentityDatabase } from '../testing/identity-database.ts'
import { createVault } from '../vault.ts'
import { createEmbeddedIdentity } from './provider.ts'

const password = 'correct horse battery'
const stepMs = 30_000
let database: IdentityDatabase
let db: IdentityDatabase['pool']
let identity: IdentityProvider
let nowMs = Date.UTC(2026, 0, 1)

beforeAll(async () => {
  database = await createIdentityDatabase()
  db = database.pool
  identity = createEmbeddedIdentity({ vault: createVault(randomBytes(32)), now: () => new Date(nowMs) })
})
afterAll(() => database.drop())
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1)
})

function codeAt(secret: string, timestamp: number) {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
}

async function newAccount() {
  const email = `${randomUUID()}@example.com`
  const { accountId } = await identity.createAccount(db, { email, password, emailVerified: false })
  const signIn = (otp?: string) => identity.verifyPassword(db, { email, password, otp })
  return { email, accountId, signIn }
}

/**
 * Creates an account with an active second factor. The returned time is one step after the step of the code that confirmed the
 * factor.
 */
async function enrolledAccount() {
  const account = await newAccount()
  const { secret } = await identity.startTotp(db, account.accountId, account.email)
  const confirmed = await identity.confirmTotp(db, account.accountId, codeAt(secret, nowMs))
  nowMs += stepMs
  return { ...account, secret, recoveryCodes: confirmed?.recoveryCodes as string[] }
}

const invalid = { ok: false, reason: 'invalid' }

it('an enrolment returns a URL that authenticator apps read, and stores the secret encrypted', async () => {
  const { accountId, email } = await newAccount()
  const { secret, otpauthUrl } = await identity.startTotp(db, accountId, email)
  const read = URI.parse(otpauthUrl) as TOTP
  expect(read).toMatchObject({ issuer: 'Mandate', label: email, period: 30, digits: 6, algorithm: 'SHA1' })
  expect(read.secret.base32).toBe(secret)
  const { rows } = await db.query('select secret_sealed from identity.totp_factors where account_id = $1', [accountId])
  expect(rows[0].secret_sealed).not.toContain(secret)
})

it('an enrolment is active only after it is confirmed with a correct code', async () => {
  const { accountId, email, signIn } = await newAccount()
  expect(await identity.confirmTotp(db, accountId, '123456')).toBeNull()
  const { secret } = await identity.startTotp(db, accountId, email)
  expect(await identity.confirmTotp(db, accountId, codeAt(secret, nowMs + 10 * stepMs))).toBeNull()
  expect(await identity.hasFactors(db, accountId)).toBe(false)
  expect(await signIn()).toMatchObject({ ok: true })
  const confirmed = await identity.confirmTotp(db, accountId, codeAt(secret, nowMs))
  expect(confirmed?.recoveryCodes).toHaveLength(10)
  expect(new Set(confirmed?.recoveryCodes).size).toBe(10)
  expect(await identity.hasFactors(db, accountId)).toBe(true)
  expect(await identity.confirmTotp(db, accountId, codeAt(secret, nowMs))).toBeNull()
})

it('an enrolment needs an account', async () => {
  const unknownId = '0197f000-0000-7000-8000-000000000000'
  await expect(identity.startTotp(db, unknownId, 'x')).rejects.toMatchObject({ kind: 'unknown_account' })
})

it('a sign-in asks for the factor’s code only if the password is correct', async () => {
  const { email, signIn } = await enrolledAccount()
  expect(await signIn()).toEqual({ ok: false, reason: 'mfa_required' })
  expect(await identity.verifyPassword(db, { email, password: 'wrong password' })).toEqual(invalid)
})

it('a sign-in accepts a code that is at most one step early or late', async () => {
  const { secret, signIn, accountId } = await enrolledAccount()
  nowMs += 10 * stepMs
  expect(await signIn(codeAt(secret, nowMs - 2 * stepMs))).toEqual(invalid)
  expect(await signIn(codeAt(secret, nowMs + 2 * stepMs))).toEqual(invalid)
  expect(await signIn(codeAt(secret, nowMs - stepMs))).toEqual({ ok: true, accountId })
  expect(await signIn(codeAt(secret, nowMs + stepMs).replace(/^.../, '$& '))).toEqual({ ok: true, accountId })
})

it.each(['', '12345', '1234567', 'abcdef', '१२३४५६', '0000-0000-0000-0000'])(
  'a sign-in refuses the code %j',
  async (otp) => {
    const { signIn } = await enrolledAccount()
    expect(await signIn(otp)).toEqual(invalid)
  },
)

it('a code works once, and no code of an earlier step works after it', async () => {
  const { secret, signIn } = await enrolledAccount()
  nowMs += stepMs
  expect(await signIn(codeAt(secret, nowMs))).toMatchObject({ ok: true })
  expect(await signIn(codeAt(secret, nowMs))).toEqual(invalid)
  expect(await signIn(codeAt(secret, nowMs - stepMs))).toEqual(invalid)
})

it('the code that confirmed an enrolment does not sign in', async () => {
  const { secret, signIn } = await enrolledAccount()
  expect(await signIn(codeAt(secret, nowMs - stepMs))).toEqual(invalid)
})

it('one of eight simultaneous sign-ins with one code succeeds', async () => {
  const { secret, signIn } = await enrolledAccount()
  const results = await Promise.all(Array.from({ length: 8 }, () => signIn(codeAt(secret, nowMs))))
  expect(results.filter((result) => result.ok)).toHaveLength(1)
})

it('one of eight simultaneous sign-ins with one recovery code succeeds', async () => {
  const { recoveryCodes, signIn } = await enrolledAccount()
  const results = await Promise.all(Array.from({ length: 8 }, () => signIn(recoveryCodes[0])))
  expect(results.filter((result) => result.ok)).toHaveLength(1)
})

it('each recovery code signs in once, in any spelling', async () => {
  const { recoveryCodes, signIn } = await enrolledAccount()
  for (const code of recoveryCodes) {
    expect(await signIn(code.toLowerCase().replaceAll('-', ' '))).toMatchObject({ ok: true })
    expect(await signIn(code)).toEqual(invalid)
  }
})

it('recovery codes are stored as hashes and work only for their own account', async () => {
  const { recoveryCodes, accountId } = await enrolledAccount()
  const other = await enrolledAccount()
  expect(await other.signIn(recoveryCodes[0])).toEqual(invalid)
  const { rows } = await db.query('select code_hash from identity.recovery_codes where account_id = $1', [accountId])
  expect(rows.map((row) => row.code_hash.length)).toEqual(Array(10).fill(32))
})

it('a new enrolment is active only after it is confirmed; the old codes then stop working', async () => {
  const { accountId, email, secret, recoveryCodes, signIn } = await enrolledAccount()
  const renewed = await identity.startTotp(db, accountId, email)
  expect(await signIn(codeAt(renewed.secret, nowMs))).toEqual(invalid)
  expect(await signIn(codeAt(secret, nowMs))).toMatchObject({ ok: true })
  nowMs += stepMs
  await identity.confirmTotp(db, accountId, codeAt(renewed.secret, nowMs))
  nowMs += stepMs
  expect(await signIn(codeAt(secret, nowMs))).toEqual(invalid)
  expect(await signIn(recoveryCodes[0])).toEqual(invalid)
  expect(await signIn(codeAt(renewed.secret, nowMs))).toMatchObject({ ok: true })
})

it('one of two simultaneous confirmations of an enrolment returns recovery codes', async () => {
  const { accountId, email } = await newAccount()
  const { secret } = await identity.startTotp(db, accountId, email)
  const confirmed = await Promise.all([1, 2].map(() => identity.confirmTotp(db, accountId, codeAt(secret, nowMs))))
  expect(confirmed.filter(Boolean)).toHaveLength(1)
})

it('without factors the password alone signs in, and no recovery code remains', async () => {
  const { accountId, signIn } = await enrolledAccount()
  await identity.clearFactors(db, accountId)
  expect(await identity.hasFactors(db, accountId)).toBe(false)
  expect(await signIn()).toMatchObject({ ok: true })
  const { rows } = await db.query('select 1 from identity.recovery_codes where account_id = $1', [accountId])
  expect(rows).toEqual([])
})
