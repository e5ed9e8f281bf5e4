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
  if (isUuid(named)) return named
  const found: Schema<'User'>[] = []
  for await (const user of eachOf(client, 'listUsers', { query: { search: named } })) {
    if (addressKey(user.email) === addressKey(named)) return user.id
    if (named !== '' && user.display_name === named) found.push(user)
  }
  const others = found.length === 0 ? (await client.call('listUsers', { query: { limit: 200 } })).data : []
  const known = others.flatMap(({ email, display_name }) => [email, display_name])
  return onlyOne('user', named, found, ({ email }) => email, known).id
}
