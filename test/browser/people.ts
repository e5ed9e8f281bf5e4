import { createClient, type Schema } from '@mandate/sdk'
import { linkMailedTo } from './mail.ts'
import { type Organization, serverUrl } from './tenant.ts'

/** Invites a person and accepts the invitation with the mailed link. Returns the person. The password is that of the owner. */
export async function addPerson(
  { id, api, password }: Organization,
  { role, name, email = newAddress(name) }: { role: Schema<'User'>['role']; name: string; email?: string },
): Promise<Schema<'User'>> {
  await api.call('inviteUser', { path: { id }, body: { email, role } })
  return await acceptInvitation(email, name, password)
}

/** Invites a learner and accepts the invitation with the mailed link. */
export async function addLearner(
  { api, password }: Organization,
  name: string,
  email = newAddress(name),
): Promise<Schema<'User'>> {
  await api.call('inviteLearner', { body: { email } })
  return await acceptInvitation(email, name, password)
}

const newAddress = (name: string) => `${name.toLowerCase().replaceAll(' ', '.')}-${crypto.randomUUID()}@norrvik.example`

async function acceptInvitation(email: string, name: string, password: string): Promise<Schema<'User'>> {
  const link = await linkMailedTo(email, 'join')
  const token = new URLSearchParams(link.split('?')[1]).get('token') as string
  const open = createClient({ url: serverUrl() })
  const { user } = await open.call('acceptInvitation', { body: { token, password, display_name: name } })
  return user
}
