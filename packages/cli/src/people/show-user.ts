import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { userId } from '../find/find-user.ts'
import type { OutputOptions } from '../output/format.ts'
import { roleText } from '../output/role-text.ts'
import { type ListOptions, showList, showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type User = Schema<'User'>

interface Options extends ListOptions {
  search?: string
  role?: User['role']
  status?: User['status']
  learners?: true
  withoutMfa?: true
}

export async function listUsers({ search, role, status, learners, withoutMfa, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const query = {
    search,
    status,
    ...(learners && { academy_only: true }),
    ...(withoutMfa && { academy_only: false, mfa_enrolled: false, federated: false }),
  }
  async function* shown(): AsyncGenerator<User> {
    for await (const user of eachOf(client, 'listUsers', { query })) if (!role || user.role === role) yield user
  }
  await showList(shown(), output, columns, 'No users match.')
}

const columns: Column<User>[] = [
  { title: 'EMAIL', value: ({ email }) => email },
  { title: 'DISPLAY_NAME', value: ({ display_name }) => display_name },
  { title: 'ROLE', value: roleText },
  {
    title: 'STATUS',
    value: ({ status }) => status,
    color: ({ status }) => (status === 'pending' ? 'yellow' : undefined),
  },
  { title: 'ACCESS_SCOPE', value: ({ access_scope }) => access_scope },
  { title: 'MFA', value: ({ mfa_enrolled, federated }) => (mfa_enrolled ? 'yes' : federated ? 'by provider' : 'no') },
  { title: 'LAST_ACTIVE_AT (UTC)', value: ({ last_active_at }) => minute(last_active_at) },
  { title: 'ID', value: ({ id }) => id },
]

export async function showUser(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const user = await client.call('getUser', { path: { user_id: await userId(client, named) } })
  showOne(user, options, userFields)
}

export const userFields: Column<User>[] = [
  { title: 'Address', value: ({ email }) => email },
  { title: 'Name', value: ({ display_name }) => display_name },
  { title: 'Role', value: roleText },
  { title: 'Status', value: ({ status }) => status },
  { title: 'Access scope', value: ({ access_scope }) => access_scope },
  {
    title: 'Second factor',
    value: ({ factors, federated }) => factors.join(' ') || (federated ? 'by sign-in provider' : 'none'),
  },
  { title: 'Last active', value: (user) => user.last_active_at && `${minute(user.last_active_at)} UTC` },
  { title: 'Created', value: ({ created_at }) => `${minute(created_at)} UTC` },
  { title: 'Id', value: ({ id }) => id },
]
