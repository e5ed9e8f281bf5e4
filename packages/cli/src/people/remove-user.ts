import { connect } from '../connection/connect.ts'
import { userId } from '../find/find-user.ts'
import { type ConfirmOptions, confirm } from '../output/confirm.ts'
import { counted } from '../output/counted.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showOne } from '../output/show.ts'
import { minute } from '../output/table.ts'

export async function previewRemoval(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const preview = await client.call('previewRemoval', { path: { user_id: await userId(client, named) } })
  showOne(preview, options, [
    { title: 'API keys', value: ({ api_keys }) => api_keys.count },
    { title: 'Last used', value: ({ api_keys }) => api_keys.last_used_at && `${minute(api_keys.last_used_at)} UTC` },
    { title: 'Agents owned', value: ({ agents_owned }) => agents_owned },
    { title: 'Open reviews', value: ({ open_reviews }) => open_reviews },
  ])
}

/** Removes a user or withdraws an invitation. First prints what stops working and asks for confirmation. */
export async function removeUser(named: string, options: ConfirmOptions): Promise<void> {
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const { email, status } = await client.call('getUser', { path })
  if (status === 'active') {
    const { api_keys, agents_owned, open_reviews } = await client.call('previewRemoval', { path })
    const has = [counted(api_keys.count, 'API key'), counted(agents_owned, 'agent')]
    note(`${email} has ${has.join(', ')} and ${counted(open_reviews, 'open review')}.`)
  }
  await confirm(status === 'active' ? `Remove ${email}?` : `Withdraw the invitation of ${email}?`, options)
  await client.call('removeUser', { path })
  note(status === 'active' ? `${email} was removed.` : `The invitation of ${email} was withdrawn.`)
}
