import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { type Command, Option } from 'commander'
import { connect } from '../connection/connect.ts'
import { environmentsForSlugs, findEnvironment, slugOf } from '../find/find-environment.ts'
import { onlyOne } from '../find/find-one.ts'
import { dataFormat, type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { type ListOptions, showList, showOne, withList } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type Edge = Schema<'Edge'>
type Instance = Schema<'EdgeInstance'>

/** Adds `edges …`, which manages the credentials of edges. `edge` runs an edge. */
export function addEdgeCredentialCommands(program: Command): void {
  const edges = program.command('edges').description('credentials of edges, each for all agents of one environment')
  withList(edges.command('list').description('list edges that are not revoked, silent edges first'))
    .addOption(new Option('--silent', 'only edges that have missed three heartbeats').conflicts('heard'))
    .option('--heard', 'only edges that send heartbeats')
    .option('--environment <slug>', 'only edges of this environment')
    .action(listEdges)
  withList(
    edges
      .command('instances')
      .description('list running edges, also those with the own key of an agent, silent ones first'),
  )
    .addOption(new Option('--key <kind>', 'only edges that run with this kind of key').choices(['edge', 'agent']))
    .option('--environment <slug>', 'only edges of this environment')
    .action(listInstances)
  withOutput(edges.command('show <edge>').description('show an edge; takes its name, key prefix or id')).action(
    showEdge,
  )
  withOutput(edges.command('create <name>').description('create an edge; its key is shown once'))
    .requiredOption('--environment <slug>', 'the environment whose agents it serves')
    .action(createEdge)
  edges
    .command('revoke <edge>')
    .description('revoke an edge immediately and permanently; takes its name, key prefix or id')
    .action(revokeEdge)
}

interface ListEdges extends ListOptions {
  silent?: true
  heard?: true
  environment?: string
}

async function listEdges({ silent, heard, environment, ...options }: ListEdges): Promise<void> {
  const { client } = await connect()
  const query: { silent?: boolean; environment_id?: string } = {
    ...((silent || heard) && { silent: silent === true }),
    ...(environment !== undefined && { environment_id: await findEnvironment(client, environment) }),
  }
  const columns = async () => {
    const environments = await environmentsForSlugs(client)
    return [
      { title: 'NAME', value: ({ name }: Edge) => name },
      { title: 'ENVIRONMENT', value: ({ environment_id }: Edge) => slugOf(environments, environment_id) },
      { title: 'STATE', value: stateOf, color: colorOf },
      { title: 'LAST_HEARTBEAT_AT (UTC)', value: ({ last_heartbeat_at }: Edge) => minute(last_heartbeat_at) },
      { title: 'VERSION', value: versionOf },
      { title: 'AGENTS_SERVED', value: ({ agents_served }: Edge) => agents_served },
      { title: 'KEY_PREFIX', value: ({ key_prefix }: Edge) => key_prefix },
      { title: 'ID', value: ({ id }: Edge) => id },
    ]
  }
  await showList(eachOf(client, 'listEdges', { query }), options, columns, 'No edge has an edge key.')
  if (dataFormat(options)) return
  const own = { credential: 'agent', silent: query.silent, environment_id: query.environment_id, limit: 1 } as const
  const { total } = await client.call('listEdgeInstances', { query: own })
  if (total > 0) note(`${runs(total)} with the own key of an agent: mandate edges instances --key agent`)
}

/** A count stops at 10,000. */
function runs(total: number): string {
  if (total === 1) return '1 edge runs'
  return `${total.toLocaleString('en')}${total >= 10_000 ? ' or more' : ''} edges run`
}

interface ListInstances extends ListOptions {
  key?: 'edge' | 'agent'
  environment?: string
}

async function listInstances({ key, environment, ...options }: ListInstances): Promise<void> {
  const { client } = await connect()
  const query = {
    credential: key,
    ...(environment !== undefined && { environment_id: await findEnvironment(client, environment) }),
  }
  await showList(eachOf(client, 'listEdgeInstances', { query }), options, instanceColumns, 'No edge runs.')
}

const instanceColumns: Column<Instance>[] = [
  { title: 'KEY_OF', value: ({ edge, agent }) => (edge ? `edge ${edge.name}` : agent && `agent ${agent.name}`) },
  { title: 'STATE', value: stateOf, color: colorOf },
  { title: 'LAST_HEARTBEAT_AT (UTC)', value: (one) => minute(one.last_heartbeat_at) },
  { title: 'VERSION', value: versionOf },
  { title: 'AGENTS_SERVED', value: (one) => one.agents_served },
  { title: 'INSTANCE_ID', value: (one) => one.instance_id },
]

/** The version, marked if the edge is too old for something that the control plane serves. */
function versionOf({ version, lacks }: Pick<Edge, 'version' | 'lacks'>): string | null {
  return lacks && lacks.length > 0 ? `${version ?? ''} (too old)`.trim() : version
}

function stateOf({ silent }: Pick<Edge, 'silent'>): string {
  if (silent === null) return 'never heard'
  return silent ? 'silent' : 'heard'
}

function colorOf({ silent }: Pick<Edge, 'silent'>) {
  return silent === null ? 'yellow' : silent ? 'red' : 'green'
}

async function showEdge(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const edge = await client.call('getEdge', { path: { edge_id: await edgeId(client, named) } })
  const environments = dataFormat(options) ? [] : await environmentsForSlugs(client)
  showOne(edge, options, [
    { title: 'Name', value: ({ name }) => name },
    { title: 'Environment', value: ({ environment_id }) => slugOf(environments, environment_id) },
    { title: 'State', value: stateOf, color: colorOf },
    { title: 'Heard', value: ({ last_heartbeat_at }) => last_heartbeat_at },
    { title: 'Closes', value: ({ closes_at }) => closes_at },
    { title: 'Version', value: ({ version }) => version },
    { title: 'Too old for', value: ({ lacks }) => lacks?.join(', ') || undefined },
    { title: 'Agents', value: ({ agents_served }) => agents_served },
    { title: 'Prefix', value: ({ key_prefix }) => key_prefix },
    { title: 'Created', value: ({ created_at }) => created_at },
    { title: 'Id', value: ({ id }) => id },
  ])
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
  const all: Edge[] = []
  const prefix = named.replace(/…$/, '')
  for await (const edge of eachOf(client, 'listEdges')) all.push(edge)
  const found = all.filter(({ name, key_prefix }) => name === named || key_prefix === prefix)
  const known = all.map(({ name }) => name)
  return onlyOne('edge', named, found, ({ key_prefix }) => `${key_prefix}…`, known).id
}
