import type { Member } from '../../../authz/actor.ts'
import { Refusal } from '../../../refusal.ts'

/** Returns the person's sign-in account. @throws 401 if it was deleted */
export function requireAccount({ accountId }: Member): string {
  if (accountId === null)
    throw new Refusal(401, 'your sign-in account was deleted; ask an owner of your organization for help')
  return accountId
}
