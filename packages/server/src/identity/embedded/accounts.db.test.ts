import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withFaults } from '../faults.ts'
import type { IdentityProvider } from '../port.ts'
import { createIdentityDatabase, type IdentityDatabase } from '../testing/identity-database.ts'
import { createVault } from '../vault.ts'
import { createEmbeddedIdentity } from './provider.ts'

const password = 'correct horse battery'
const unknownId = '0197f000-0000-7000-8000-000000000000'
let database: IdentityDatabase
let db: IdentityDatabase['pool']
let identity: IdentityProvider

beforeAll(async () => {
  database = await createIdentityDatabase()
  db = database.pool
  identity = createEmbeddedIdentity({ vault: createVault(randomBytes(32)) })
})
afterAll(() => database.drop())

function newEmail() {
  return `${randomUUID()}@example.com`
}

async function newAccount() {
  const email = newEmail()
  const { accountId } = await identity.createAccount(db, { email, password, emailVerified: false })
  return { email, accountId }
}

describe('accounts', () => {
  it('are found by address in any case, and by id', async () => {
    const { email, accountId } = await newAccount()
    const found = await identity.findAccountByEmail(db, ` ${email.toUpperCase()} `)
    expect(found).toEqual({ accountId, email, emailVerified: false, hasPassword: true, createdAt: expect.any(Date) })
    expect(await identity.getAccount(db, accountId)).toEqual(found)
    expect(await identity.findAccountByEmail(db, newEmail())).toBeNull()
    expect(await identity.getAccount(db, unknownId)).toBeNull()
  })

  it('refuse a second account for an address in another case, also for simultaneous requests', async () => {
    const email = newEmail()
    const tries = [email, email.toUpperCase(), email, email.toUpperCase()].map((spelling) =>
      identity.createAccount(db, { email: spelling, password, emailVerified: false }),
    )
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'email_taken' })
    }
  })

  it('store the password as argon2id with 19 MiB, two passes, one lane', async () => {
    const { accountId } = await newAccount()
    const { rows } = await db.query('select password_hash from identity.accounts where id = $1', [accountId])
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('are created in the caller’s transaction, and a rollback removes them', async () => {
    const email = newEmail()
    const client = await db.connect()
    await client.query('begin')
    await identity.createAccount(client, { email, password, emailVerified: true })
    await client.query('rollback')
    client.release()
    expect(await identity.findAccountByEmail(db, email)).toBeNull()
  })

  it('record that their address is verified', async () => {
    const { accountId } = await newAccount()
    await identity.markEmailVerified(db, accountId)
    expect(await identity.getAccount(db, accountId)).toMatchObject({ emailVerified: true })
    await expect(identity.markEmailVerified(db, unknownId)).rejects.toMatchObject({ kind: 'unknown_account' })
  })

  it('are deleted with their factors and links, and a second deletion is not an error', async () => {
    const { accountId } = await newAccount()
    const subject = { issuer: 'https://issuer.example', subject: accountId }
    await identity.startTotp(db, accountId, 'a')
    await identity.linkFederated(db, subject, accountId)
    await identity.deleteAccount(db, accountId)
    await identity.deleteAccount(db, accountId)
    expect(await identity.getAccount(db, accountId)).toBeNull()
    expect(await identity.findFederated(db, subject)).toBeNull()
    const { rows } = await db.query('select 1 from identity.totp_factors where account_id = $1', [accountId])
    expect(rows).toEqual([])
  })
})

describe('a password', () => {
  it('signs in with the address in any case, and with composed or decomposed accents', async () => {
    const email = newEmail()
    const { accountId } = await identity.createAccount(db, {
      email,
      password: 'caf\u00e9 au lait',
      emailVerified: false,
    })
    const credentials = { email: email.toUpperCase(), password: 'cafe\u0301 au lait' }
    expect(await identity.verifyPassword(db, credentials)).toEqual({ ok: true, accountId })
  })

  it('is refused in the same way for a wrong password, an unknown address, and an account without a password', async () => {
    const { email } = await newAccount()
    const federatedOnly = newEmail()
    await identity.createAccount(db, { email: federatedOnly, emailVerified: true })
    const invalid = { ok: false, reason: 'invalid' }
    expect(await identity.verifyPassword(db, { email, password: `${password}!` })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email, password: '' })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email: newEmail(), password })).toEqual(invalid)
    expect(await identity.verifyPassword(db, { email: federatedOnly, password })).toEqual(invalid)
    const dummy = 'no account has this password'
    expect(await identity.verifyPassword(db, { email: federatedOnly, password: dummy })).toEqual(invalid)
  })

  it('takes as much CPU time for an unknown address as for a known one', { tags: ['long'] }, async () => {
    const { email } = await newAccount()
    const known: number[] = []
    const unknown: number[] = []
    for (let round = 0; round < 12; round++) {
      known.push(await measure({ email, password: 'wrong password' }))
      unknown.push(await measure({ email: newEmail(), password: 'wrong password' }))
    }
    const ratio = median(unknown) / median(known)
    expect(ratio).toBeGreaterThan(0.3)
    expect(ratio).toBeLessThan(3)
  })

  it('is replaced, and the old one no longer signs in', async () => {
    const { email, accountId } = await newAccount()
    await identity.setPassword(db, accountId, 'another good one')
    expect(await identity.verifyPassword(db, { email, password })).toMatchObject({ ok: false })
    expect(await identity.verifyPassword(db, { email, password: 'another good one' })).toEqual({ ok: true, accountId })
  })

  it('is refused if it is weak, at creation and at a change, and for an unknown account', async () => {
    const { email, accountId } = await newAccount()
    const weak = { kind: 'weak_password' }
    await expect(identity.setPassword(db, accountId, 'short')).rejects.toMatchObject(weak)
    await expect(identity.setPassword(db, accountId, email)).rejects.toMatchObject(weak)
    const account = { email: newEmail(), password: 'short', emailVerified: false }
    await expect(identity.createAccount(db, account)).rejects.toMatchObject(weak)
    expect(await identity.findAccountByEmail(db, account.email)).toBeNull()
    await expect(identity.setPassword(db, unknownId, password)).rejects.toMatchObject({ kind: 'unknown_account' })
  })
})

describe('a federated link', () => {
  it('leads to its account, may be repeated, and never moves to another account', async () => {
    const { accountId } = await newAccount()
    const other = await newAccount()
    const subject = { issuer: 'https://issuer.example', subject: randomUUID() }
    expect(await identity.findFederated(db, subject)).toBeNull()
    await identity.linkFederated(db, subject, accountId)
    await identity.linkFederated(db, subject, accountId)
    await expect(identity.linkFederated(db, subject, other.accountId)).rejects.toMatchObject({ kind: 'refused' })
    expect(await identity.findFederated(db, subject)).toEqual({ accountId })
    expect(await identity.findFederated(db, { ...subject, issuer: 'https://other.example' })).toBeNull()
  })
})

describe('a fault', () => {
  it('makes factor clearing or account deletion fail like an unreachable provider, only while it is on', async () => {
    const { accountId } = await newAccount()
    const on = new Set<string>()
    const faulty = withFaults(identity, async (fault) => on.has(fault))
    on.add('identity.clear_factors')
    await expect(faulty.clearFactors(db, accountId)).rejects.toMatchObject({ kind: 'unavailable' })
    on.add('identity.delete_account')
    await expect(faulty.deleteAccount(db, accountId)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await faulty.getAccount(db, accountId)).not.toBeNull()
    on.clear()
    await faulty.clearFactors(db, accountId)
    await faulty.deleteAccount(db, accountId)
    expect(await faulty.getAccount(db, accountId)).toBeNull()
  })
})

/** CPU time, because other processes on the machine do not increase it. */
async function measure(credentials: { email: string; password: string }) {
  const before = process.cpuUsage()
  await identity.verifyPassword(db, credentials)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function median(values: number[]) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
