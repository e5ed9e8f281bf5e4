import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { roleText } from '../output/role-text.ts'
import { showDone } from '../output/show.ts'

export async function inviteUser(
  email: string,
  { role, readOnly, ...output }: OutputOptions & { role: Schema<'User'>['role']; readOnly?: boolean },
): Promise<void> {
  const { client } = await connect()
  const { tenant } = await client.call('getOwnTenant')
  const invited = await client.call('inviteUser', {
    path: { id: tenant.id },
    body: { email, role, read_only: readOnly },
  })
  showDone(`${invited.email} is invited as ${roleText(invited)}. ${invited.message}`, invited, output)
}

export async function inviteLearner(email: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const invited = await client.call('inviteLearner', { body: { email } })
  showDone(`${invited.email} is invited as a learner. ${invited.message}`, invited, output)
}
