import { isUuid } from '@mandate/contract/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import type { Command } from 'commander'
import { connect } from './connection/connect.ts'
import { allEnvironments, findEnvironment, slugOf } from './find/find-environment.ts'
import { onlyOne } from './find/find-one.ts'
import { type OutputOptions, withOutput } from './output/format.ts'
import { note } from './output/note.ts'
import { type ListOptions, showList, showOne, withList } from './output/show.ts'
import { minute } from './output/table.ts'

type Edge = Schema<'Edge'>

/** Adds `edges …`, which manages the credentials of edges. `edge` runs an edge. */
export function addEdgeCredentialCommands(program: Command): void {
  const edges = program.command('edges').description('credentials of edges, each for all agents of one environment')
  withList(edges.command('list').description('list edges that are not revoked')).action(listEdges)
  withOutput(edges.command('create <name>').description('create an edge; its key is shown once'))
    .requiredOption('--environment <slug>', 'the environment whose agents it serves')
    .action(createEdge)
  edges
    .command('revoke <edge>')
    .description('revoke an edge immediately and permanently; takes its name, key prefix or id')
    .action(revokeEdge)
}

async function listEdges(options: ListOptions): Promise<void> {
  const { client } = await connect()
  const columns = async () => {
    const environments = await allEnvironments(client)
    return [
      { title: 'NAME', value: ({ name }: Edge) => name },
      { title: 'ENVIRONMENT', value: ({ environment_id }: Edge) => slugOf(environments, environment_id) },
      { title: 'PREFIX', value: ({ key_prefix }: Edge) => key_prefix },
      { title: 'CREATED (UTC)', value: ({ created_at }: Edge) => minute(created_at) },
      { title: 'ID', value: ({ id }: Edge) => id },
    ]
  }
  await showList(eachOf(client, 'listEdges'), options, columns, 'No edges.')
}

async function createEdge(name: string, { environment, ...output }: OutputOptions & { environment: string }) {
  const { client } = await connect()
  const environment_id = await findEnvironment(client, environment)
  const created = await client.call('createEdge', { body: { name, environment_id } })
  note('The key is shown only now. Store it where the edge reads it, and nowhere else.')
  showOne(created, output, [
    { title: 'Name', value: ({ edge }) => edge.name },
    { title: 'Environment', value: () => environment },
    { title: 'Id', value: ({ edge }) => edge.id },
    { title: 'Key', value: ({ edge_key }) => edge_key },
  ])
}

async function revokeEdge(named: string): Promise<void> {
  const { client } = await connect()
  await client.call('revokeEdge', { path: { edge_id: await edgeId(client, named) } })
  note(`The edge ${named} is revoked.`)
}

async function edgeId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const found: Edge[] = []
  const prefix = named.replace(/…$/, '')
  for await (const edge of eachOf(client, 'listEdges')) {
    if (edge.name === named || edge.key_prefix === prefix) found.push(edge)
  }
  return onlyOne('edge', named, found, ({ key_prefix }) => `${key_prefix}…`).id
}
