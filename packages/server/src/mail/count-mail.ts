import { createHash } from 'node:crypto'
import { addressKey } from '@mandate/contract/fields/address-key'
import type { Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import {
  isLimitedFromTenant,
  limitsFromTenant,
  limitsToAddress,
  limitToUnproved,
  type MailKind,
  type MailLimit,
  standingOf,
} from './mail-limits.ts'

/** The limit that a mail has reached. */
export type MetLimit = { of: 'address' | 'tenant'; period: 'hour' | 'day'; limit: number }

/**
 * The decision whether a mail may be sent. `isFirst` is true for the first mail in this hour or day that is not sent. Only this
 * mail is reported.
 */
export type MailVerdict = { counted: Count[] } | { met: MetLimit; isFirst: boolean }

export interface Count {
  subject: Buffer
  period: 'hour' | 'day'
  startsAt: string
}

interface Limited extends Count {
  of: 'address' | 'tenant'
  limit: number
}

const table = `unnest($1::bytea[], $2::text[], $3::timestamptz[]) as w (subject, period, starts_at)`
const wanted = `select w.subject, w.period, w.starts_at from ${table} order by 1, 2, 3`
const add = `insert into mail_counts (subject, period, starts_at) ${wanted} on conflict do nothing`
const lock = `select m.subject, m.period, m.sent from mail_counts m join ${table}
  on m.subject = w.subject and m.period = w.period and m.starts_at = w.starts_at order by 1, 2 for update of m`
const change = (column: 'sent' | 'withheld', by: 1 | -1) => `update mail_counts m set ${column} = m.${column} + ${by}
  from ${table} where m.subject = w.subject and m.period = w.period and m.starts_at = w.starts_at returning m.${column} as count`

/**
 * Counts one mail and decides whether it may be sent. A mail that exceeds a limit increases the number of withheld mails, and
 * not the number of sent mails. Runs in the tenant's transaction.
 */
export async function countMail(tx: Tx, to: string, kind: MailKind, now: Date): Promise<MailVerdict> {
  const counts = await countsOf(tx, to, kind, now)
  await tx.all(raw(add, valuesOf(counts)))
  const stored = await tx.all(raw<{ subject: Buffer; period: string; sent: number }>(lock, valuesOf(counts)))
  const sent = new Map(stored.map((row) => [keyOf(row), row.sent]))
  const met = counts.find((count) => (sent.get(keyOf(count)) ?? 0) >= count.limit)
  if (!met) {
    await tx.all(raw(change('sent', 1), valuesOf(counts)))
    return { counted: counts }
  }
  const { count } = await tx.one(raw<{ count: number }>(change('withheld', 1), valuesOf([met])))
  return { met: { of: met.of, period: met.period, limit: met.limit }, isFirst: count === 1 }
}

/** Removes a mail from the counts, because sending it failed. The retry will count it again. */
export async function uncountMail(tx: Tx, counts: readonly Count[]): Promise<void> {
  await tx.all(raw(lock, valuesOf(counts)))
  await tx.all(raw(change('sent', -1), valuesOf(counts)))
}

/** Deletes counts that are too old to matter for any limit. */
export async function sweepMailCounts(tx: Tx, now: Date): Promise<void> {
  await tx.all(raw('delete from mail_counts where starts_at < $1', [new Date(now.getTime() - 2 * dayMs).toISOString()]))
}

async function countsOf(tx: Tx, to: string, kind: MailKind, now: Date): Promise<Limited[]> {
  const addressee = addressKey(to)
  const address = limited('address', `${kind} address ${addressee}`, limitsToAddress[kind], now)
  if ((kind === 'notice' || kind === 'approval') && (await isUnproved(tx, addressee))) {
    address.push(...limited('address', `unproved address ${addressee}`, limitToUnproved, now))
  }
  if (!isLimitedFromTenant(kind)) return address
  const tenant = await tx.maybe(
    raw<{ plan: string; created_at: string }>('select plan, created_at from tenants where id = $1', [
      tx.tenantId === '' ? null : tx.tenantId,
    ]),
  )
  if (!tenant) return address
  const limits = limitsFromTenant[standingOf(tenant, now)][kind]
  return [...address, ...limited('tenant', `${kind} tenant ${tx.tenantId}`, limits, now)]
}

/** True if the address belongs to a user of the tenant and has not been verified. */
async function isUnproved(tx: Tx, address: string): Promise<boolean> {
  if (tx.tenantId === '') return false
  const text = 'select from users where tenant_id = $1 and email_lower = $2 and not email_verified'
  return (await tx.maybe(raw(text, [tx.tenantId, address]))) !== undefined
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

function limited(of: Limited['of'], name: string, limits: MailLimit, now: Date): Limited[] {
  const subject = createHash('sha256').update(name).digest()
  const startOf = (ms: number) => new Date(Math.floor(now.getTime() / ms) * ms).toISOString()
  return [
    { of, subject, period: 'hour', startsAt: startOf(hourMs), limit: limits.hour },
    { of, subject, period: 'day', startsAt: startOf(dayMs), limit: limits.day },
  ]
}

const keyOf = ({ subject, period }: { subject: Buffer; period: string }) => `${subject.toString('hex')} ${period}`

const valuesOf = (counts: readonly Count[]) => [
  counts.map(({ subject }) => subject),
  counts.map(({ period }) => period),
  counts.map(({ startsAt }) => startsAt),
]
