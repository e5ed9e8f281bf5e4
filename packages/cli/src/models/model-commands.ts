import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import type { Command } from 'commander'
import { connect } from '../connection/connect.ts'
import { type ListOptions, showList, withList } from '../output/show.ts'
import type { Column } from '../output/table.ts'

type Model = Schema<'Model'>

/** Adds `models …`. */
export function addModelCommands(program: Command): void {
  const models = program.command('models').description('models that agents declare or use')
  withList(models.command('list').description('list models')).action(listModels)
}

const columns: Column<Model>[] = [
  { title: 'MODEL', value: ({ model }) => model },
  { title: 'AGENTS', value: ({ agents }) => agents },
  { title: 'DECLARED', value: ({ declared }) => declared },
  { title: 'OBSERVED', value: ({ observed }) => observed },
  { title: 'CALLS (30 DAYS)', value: ({ calls_30d }) => calls_30d },
  { title: 'LAST_SEEN_AT', value: ({ last_seen_at: at }) => at?.slice(0, 10) ?? null },
]

async function listModels(options: ListOptions): Promise<void> {
  const { client } = await connect()
  await showList(eachOf(client, 'listModels', {}), options, columns, 'No agent declares or uses a model.')
}
