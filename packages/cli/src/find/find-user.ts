import { addressKey } from '@mandate/contract/fields/address-key'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { onlyOne } from './find-one.ts'

/**
 * Finds a user or an invitation by address, id, or a name that only one of them has.
 * @returns its id
 */
export async function userId(client: Client, named: string): Promise<string> {
  return await findUserId(client, named, () => [])
}

/**
 * Finds a user like `userId`. If no user matches, finds a person who was removed, by the name or the address that the audit trail has.
 * @returns the id of the person
 */
export async function actorId(client: Client, named: string): Promise<string> {
  return await findUserId(client, named, async () => {
    const removed: { id: string; email: string }[] = []
    for await (const entry of eachOf(client, 'listAuditEntries', { query: { event_type: 'user.removed' } })) {
      const { resource, details } = entry
      const email = typeof details.email === 'string' ? details.email : ''
      const isMeant = resource.name === named || (email !== '' && addressKey(email) === addressKey(named))
      if (resource.id !== null && isMeant) removed.push({ id: resource.id, email })
    }
    return removed
  })
}

async function findUserId(
  client: Client,
  named: string,
  findOthers: () => { id: string; email: string }[] | Promise<{ id: string; email: string }[]>,
): Promise<string> {
  if (isUuid(named)) return named
  const found: Schema<'User'>[] = []
  for await (const user of eachOf(client, 'listUsers', { query: { search: named } })) {
    if (addressKey(user.email) === addressKey(named)) return user.id
    if (named !== '' && user.display_name === named) found.push(user)
  }
  const removed = found.length === 0 ? await findOthers() : []
  if (removed.length > 0) return onlyOne('user', named, removed, ({ email }) => email).id
  const others = found.length === 0 ? (await client.call('listUsers', { query: { limit: 200 } })).data : []
  const known = others.flatMap(({ email, display_name }) => [email, display_name])
  return onlyOne('user', named, found, ({ email }) => email, known).id
}
