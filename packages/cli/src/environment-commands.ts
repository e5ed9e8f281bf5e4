import { eachOf } from '@mandate/sdk/pages'
import type { Command } from 'commander'
import { connect } from './connection/connect.ts'
import { type ListOptions, showList, withList } from './output/show.ts'

/** `environments list`. */
export function addEnvironmentCommands(program: Command): void {
  const environments = program.command('environments').description('the organization’s environments')
  withList(environments.command('list').description('list environments')).action(async (options: ListOptions) => {
    const { client } = await connect()
    await showList(
      eachOf(client, 'listEnvironments'),
      options,
      [
        { title: 'SLUG', value: ({ slug }) => slug },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'PRODUCTION', value: ({ is_production }) => (is_production ? 'yes' : 'no') },
        { title: 'MODE', value: ({ governance_mode }) => governance_mode },
        { title: 'ID', value: ({ id }) => id },
      ],
      'No environment that you can see.',
    )
  })
}
