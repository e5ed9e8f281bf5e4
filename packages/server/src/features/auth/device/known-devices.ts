import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { clientNetwork } from '../../../http/connections/client-network.ts'
import { deviceName } from '../../../mail/device-name.ts'
import { mailSecurityNews } from '../../../mail/security-mail.ts'
import { digest } from '../../../security/credentials.ts'

/**
 * Maximum number of marks per account. A mark is a digest that identifies a known device. Each sign-in stores two marks: one for
 * the browser's cookie, one for the client's network. The marks that were not seen for the longest time are deleted first.
 */
const maxMarks = 60

export interface SigningIn {
  accountId: string
  tenantId: string
  email: string
  /** The secret in the browser's device cookie. */
  device: string
}

/** Returns the digest that identifies a browser by the secret in its device cookie. */
function deviceMark(device: string, accountId: string): Buffer {
  return digest(`device:${device}:${accountId}`)
}

/**
 * Returns the digest that identifies a client by its network and its browser family. It recognizes a client that sends no
 * device cookie.
 */
function networkMark({ request }: Pick<Ctx<null>, 'request'>, accountId: string): Buffer {
  return digest(`network:${accountId}:${clientNetwork(request.ip)}:${deviceName(request.userAgent)}`)
}

const accountText = `select a.account_id from email_lookup e
  join account_lookup a on a.tenant_id = e.tenant_id and a.user_id = e.user_id where e.address = $1`

/**
 * Returns the digest that identifies a known device, if the browser has already signed in to the account with this mail
 * address. Otherwise returns undefined. Runs two statements even for an unknown address. So the response time does not reveal
 * whether the address is known.
 */
export async function findKnownDevice(db: Sql, device: string, email: string): Promise<Buffer | undefined> {
  const account = await db.maybe(raw<{ account_id: string }>(accountText, [addressKey(email)]))
  const mark = deviceMark(device, account?.account_id ?? '')
  const text = 'select from known_devices where mark = $1 and account_id = $2'
  const known = await db.maybe(raw(text, [mark, account?.account_id ?? '']))
  return known === undefined ? undefined : mark
}

const rememberText = `
  insert into known_devices (mark, account_id, created_at, last_seen_at)
  select mark, $2, $3, $3 from unnest($1::bytea[]) mark order by mark
  on conflict (mark) do update set last_seen_at = excluded.last_seen_at returning xmax = 0 as is_new`

const forgetOldestText = `
  delete from known_devices where mark in (
    select mark from known_devices where account_id = $1 order by last_seen_at desc, mark offset ${maxMarks})`

/**
 * Stores the device of a sign-in. Returns true if the device is new: its cookie is unknown, and no known device of the account
 * has this combination of network and browser family.
 */
export async function rememberDevice(
  tx: Tx,
  ctx: Ctx<null>,
  { accountId, device }: Pick<SigningIn, 'accountId' | 'device'>,
): Promise<boolean> {
  const marks = [deviceMark(device, accountId), networkMark(ctx, accountId)]
  const seen = await tx.all(raw<{ is_new: boolean }>(rememberText, [marks, accountId, ctx.now]))
  if (seen.some((mark) => mark.is_new)) await tx.all(raw(forgetOldestText, [accountId]))
  return seen.every((mark) => mark.is_new)
}

/** Stores the device of a sign-in. If the device is new, sends the person a mail about the sign-in. */
export async function noticeDevice(tx: Tx, ctx: Ctx<null>, signingIn: SigningIn): Promise<void> {
  if (!(await rememberDevice(tx, ctx, signingIn))) return
  await mailSecurityNews(tx, ctx, {
    to: signingIn.email,
    tenantId: signingIn.tenantId,
    subject: 'New sign-in to your Mandate account',
    what: 'Someone signed in to your Mandate account from a device that was not used before.',
  })
}

/** Deletes all known devices of the account, so that each device counts as new at its next sign-in. */
export async function forgetDevices(tx: Tx, accountId: string): Promise<void> {
  await tx.all(raw('delete from known_devices where account_id = $1', [accountId]))
}
