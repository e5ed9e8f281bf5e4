import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { userId } from '../find/find-user.ts'
import { usageFailure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { roleText } from '../output/role-text.ts'
import { showDone } from '../output/show.ts'

type User = Schema<'User'>

export async function updateUser(
  named: string,
  { name, role, readOnly, ...output }: OutputOptions & { name?: string; role?: User['role']; readOnly?: boolean },
): Promise<void> {
  if (name === undefined && role === undefined && readOnly === undefined)
    throw usageFailure('give --name, --role, --read-only or --no-read-only')
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const user = await client.call('updateUser', { path, body: { display_name: name, role, read_only: readOnly } })
  showDone(`${user.email} is ${user.display_name || 'without a name'}, ${roleText(user)}.`, user, output)
}

export async function giveSeat(
  named: string,
  { role, ...output }: OutputOptions & { role: 'viewer' | 'member' | 'manager' },
): Promise<void> {
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const user = await client.call('grantPlatformAccess', { path, body: { role } })
  showDone(`${user.email} has a seat as ${user.role}.`, user, output)
}

export async function setAccessScope(named: string, access_scope: User['access_scope'], output: OutputOptions) {
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const user = await client.call('setAccessScope', { path, body: { access_scope } })
  const seen = user.access_scope === 'all' ? 'the whole organization' : 'only what was granted'
  showDone(`${user.email} sees ${seen}.`, user, output)
}

export async function resetMfa(named: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const user = await client.call('resetMfa', { path: { user_id: await userId(client, named) } })
  showDone(`The second factors of ${user.email} are removed.`, user, output)
}

export async function revokeUserSessions(named: string): Promise<void> {
  const { client } = await connect()
  await client.call('revokeUserSessions', { path: { user_id: await userId(client, named) } })
  note(`The sessions of ${named} have ended.`)
}
