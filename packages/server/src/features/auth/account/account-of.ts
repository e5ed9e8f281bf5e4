import type { Member } from '../../../authz/actor.ts'
import { Refusal } from '../../../refusal.ts'

/** The sign-in account of a person. @throws 401 when it is gone */
export function requireAccount({ accountId }: Member): string {
  if (accountId === null) throw new Refusal(401, 'the sign-in account is gone')
  return accountId
}
