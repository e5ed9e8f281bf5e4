import { addressKey } from '@mandate/contract/fields/address-key'
import { findUserOfAccount } from '../../../caller/caller-queries.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { clientNetwork } from '../../../http/connections/client-network.ts'
import type { Credentials } from '../../../identity/port.ts'
import { tooMany } from '../../../refusal.ts'
import { digest } from '../../../security/credentials.ts'
import { findProof, spendProof } from '../account/mail-proof-queries.ts'
import { findUserOfAddress } from '../account/queries.ts'
import { hasRoomFor, type Limit } from '../account/throttle.ts'
import { findKnownDevice } from '../device/known-devices.ts'
import { mailSignInLink } from '../device/mail-sign-in-link.ts'

export interface PasswordAttempt extends Credentials {
  /** The token of a mailed sign-in link. It allows a sign-in while there are too many attempts for the address. */
  mailToken?: string | undefined
  /** The secret in the browser's device cookie; undefined if the cookie is missing. */
  knownDevice: string | undefined
}

const windowSeconds = 5 * 60
const perAttempts: Limit = { limit: 10, windowSeconds }

/**
 * Counts an attempt to sign in with a password, and limits the number of attempts. If the attempt was allowed because of a
 * mailed sign-in link, returns the digest of the link's token. The limits slow down a person who guesses passwords, but this
 * person cannot lock out the account's owner:
 * - A browser that has signed in with this address before has its own limit.
 * - Each sign-in link that was mailed to this address has its own limit too.
 * - All other attempts share one limit per address. If they exceed it, the response is 429 for a right and a wrong password. If
 *   the password was right, a sign-in link is mailed to the address after the response. So neither the response nor its time
 *   reveals whether the password was right.
 * @throws 429
 */
export async function countSignIn(ctx: Ctx<null>, attempt: PasswordAttempt): Promise<{ proof?: Buffer }> {
  const { email, knownDevice, mailToken } = attempt
  const address = addressKey(email)
  const mark = knownDevice === undefined ? undefined : await findKnownDevice(ctx.sql, knownDevice, email)
  if (mark && (await hasRoomFor(ctx, 'sign-in:device', perAttempts, mark.toString('hex')))) return {}
  const proof = await liveProof(ctx, address, mailToken)
  if (proof && (await hasRoomFor(ctx, 'sign-in:mailed', perAttempts, proof.toString('hex')))) return { proof }
  if (await hasRoomFor(ctx, 'sign-in:address', perAttempts, address)) return {}
  // The address is over its limit, so the sign-in fails. A sign-in link may still be mailed. These mails have a limit for each
  // network. So an attacker in another network cannot keep the owner from getting a link.
  const ofNetwork = `${address} ${clientNetwork(ctx.request.ip)}`
  if (await hasRoomFor(ctx, 'sign-in:throttled', perAttempts, ofNetwork)) mailInBackground(ctx, attempt)
  throw tooManyForAddress()
}

/** Deletes the mailed token, because it works once. @throws 429 if another sign-in used it at the same time */
export async function refuseSpentProof(tx: Tx, ctx: Ctx<null>, proof: Buffer, accountId: string): Promise<void> {
  if (!(await spendProof(tx, proof, 'sign_in', accountId, ctx.now))) throw tooManyForAddress()
}

const tooManyForAddress = () =>
  tooMany(
    'too many attempts for this address; try again later, or, if the password was right, use the link that is mailed to the address',
    windowSeconds,
  )

/** Returns the digest of a mailed token that has not expired and belongs to the user of this address. */
async function liveProof(ctx: Ctx<null>, address: string, token: string | undefined): Promise<Buffer | undefined> {
  if (token === undefined) return undefined
  const hash = digest(token)
  const proof = await findProof(ctx.sql, hash, 'sign_in', ctx.now)
  const [holder, user] = [
    await findUserOfAddress(ctx.sql, address),
    proof && (await findUserOfAccount(ctx.sql, proof.account_id)),
  ]
  return user && holder?.user_id === user.userId ? hash : undefined
}

function mailInBackground(ctx: Ctx<null>, attempt: PasswordAttempt): void {
  mailSignInLink(ctx, attempt).catch((err) =>
    ctx.services.log.error({ err, request_id: ctx.request.id }, 'a sign-in link could not be mailed'),
  )
}
