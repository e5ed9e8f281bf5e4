import { connect } from '../connection/connect.ts'
import { findEnvironment } from '../find/find-environment.ts'
import { userId } from '../find/find-user.ts'
import { Failure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone, showRows } from '../output/show.ts'
import { minute } from '../output/table.ts'

export async function listUserEnvironments(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const { environment_access } = await client.call('listEnvironmentAccess', { path })
  await showRows(
    environment_access,
    options,
    [
      { title: 'ENVIRONMENT_SLUG', value: ({ environment_slug }) => environment_slug },
      { title: 'ENVIRONMENT_NAME', value: ({ environment_name }) => environment_name },
      { title: 'CREATED_AT (UTC)', value: ({ created_at }) => minute(created_at) },
    ],
    'No environments.',
  )
}

export async function addEnvironment(named: string, environment: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const body = { environment_id: await findEnvironment(client, environment) }
  showDone(
    `${named} has access to ${environment}.`,
    await client.call('createEnvironmentAccess', { path, body }),
    output,
  )
}

export async function removeEnvironment(named: string, environment: string): Promise<void> {
  const { client } = await connect()
  const user_id = await userId(client, named)
  const environment_id = await findEnvironment(client, environment)
  const { environment_access } = await client.call('listEnvironmentAccess', { path: { user_id } })
  const access = environment_access.find((one) => one.environment_id === environment_id)
  if (!access) throw new Failure(`${named} has no access to ${environment}`)
  await client.call('revokeEnvironmentAccess', { path: { user_id, access_id: access.id } })
  note(`${named} no longer has access to ${environment}.`)
}
