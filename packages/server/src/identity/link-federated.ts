import { IdentityFailure } from './failure.ts'
import type { Db, FederatedSubject } from './port.ts'

/**
 * Links a person's identity at an external provider, such as Google, to an account. Does nothing if the identity is already
 * linked to this account. Throws IdentityFailure `refused` if the identity is linked to another account.
 */
export async function linkFederated(db: Db, subject: FederatedSubject, accountId: string, now: Date): Promise<void> {
  await db.query(
    `insert into identity.federated_links (issuer, subject, account_id, created_at) values ($1, $2, $3, $4)
     on conflict (issuer, subject) do nothing`,
    [subject.issuer, subject.subject, accountId, now],
  )
  const linked = await findFederated(db, subject)
  if (linked?.accountId !== accountId)
    throw new IdentityFailure('refused', 'the external identity is already linked to another account')
}

export async function findFederated(db: Db, subject: FederatedSubject): Promise<{ accountId: string } | null> {
  const { rows } = await db.query(
    'select account_id from identity.federated_links where issuer = $1 and subject = $2',
    [subject.issuer, subject.subject],
  )
  return rows[0] ? { accountId: rows[0].account_id } : null
}

export async function unlinkFederated(db: Db, accountId: string): Promise<void> {
  await db.query('delete from identity.federated_links where account_id = $1', [accountId])
}
