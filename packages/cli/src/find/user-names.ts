import type { Client } from '@mandate/sdk/client'
import { ifVisible } from './if-visible.ts'

type Id = string | null | undefined

/**
 * Looks up the names of a few users, for data that contains only user ids.
 * @returns a function from id to name or address; it returns the id itself if the caller cannot see the user
 */
export async function userNames(client: Client, ids: readonly Id[]): Promise<(id: Id) => string | undefined> {
  const wanted = [...new Set(ids)].filter((id) => typeof id === 'string')
  const pairs = wanted.map(async (user_id) => [user_id, await nameOf(client, user_id)] as const)
  const names = new Map(await Promise.all(pairs))
  return (id) => (id ? (names.get(id) ?? id) : undefined)
}

async function nameOf(client: Client, user_id: string): Promise<string> {
  const user = await ifVisible(client.call('getUser', { path: { user_id } }))
  return user?.display_name || user?.email || user_id
}
