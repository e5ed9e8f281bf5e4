import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import type { Command } from 'commander'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { userId } from '../find/find-user.ts'
import { timeOf } from '../options/expiry.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { type ListOptions, showList, showOne, withList } from '../output/show.ts'
import { minute } from '../output/table.ts'

type Delegation = Schema<'Delegation'>

/** Adds `delegations …`: permissions for agents to act for a person. */
export function addDelegationCommands(program: Command): void {
  const delegations = program
    .command('delegations')
    .description('permissions for agents to act for a person with some tools, for some time')
  withList(delegations.command('list').description('list delegations, newest first'))
    .option('--agent <agent>', 'only delegations that this agent holds; takes its name or id')
    .action(listDelegations)
  withOutput(delegations.command('create <agent>').description('delegate to an agent; the token is shown once'))
    .requiredOption('--tools <pattern...>', 'the tools that the agent may call, such as mcp:files/*')
    .requiredOption('--expires <when>', 'a time, in UTC without a zone, or a duration such as 2h; at most 24h')
    .option('--for <user>', 'the user for whom the agent acts; you if it is left out')
    .action(createDelegation)
  delegations
    .command('revoke <delegation>')
    .description('revoke a delegation and everything below it; takes its id')
    .action(revokeDelegation)
}

const columns = [
  { title: 'FOR', value: ({ chain }: Delegation) => chain[0]?.name ?? null },
  {
    title: 'AGENTS',
    value: ({ chain }: Delegation) =>
      chain
        .slice(1)
        .map(({ name }) => name)
        .join(' → '),
  },
  { title: 'TOOLS', value: ({ tools }: Delegation) => tools.join(' ') },
  { title: 'STATE', value: ({ state }: Delegation) => state },
  { title: 'EXPIRES_AT (UTC)', value: ({ expires_at }: Delegation) => minute(expires_at) },
  { title: 'ID', value: ({ id }: Delegation) => id },
]

async function listDelegations({ agent, ...options }: ListOptions & { agent?: string }): Promise<void> {
  const { client } = await connect()
  const query = agent === undefined ? {} : { agent_id: await agentId(client, agent) }
  await showList(eachOf(client, 'listDelegations', { query }), options, columns, 'No delegations.')
}

interface Created extends OutputOptions {
  tools: string[]
  expires: string
  for?: string
}

async function createDelegation(agent: string, { tools, expires, for: user, ...output }: Created): Promise<void> {
  const { client } = await connect()
  const body = {
    agent_id: await agentId(client, agent),
    tools,
    expires_at: timeOf(expires, Date.now()),
    ...(user !== undefined && { subject_user_id: await userId(client, user) }),
  }
  const created = await client.call('createDelegation', { body })
  note('The token is shown only now. Give it to the agent, and to nobody else.')
  showOne(created, output, [
    { title: 'Id', value: ({ id }) => id },
    { title: 'Expires', value: ({ expires_at }) => expires_at },
    { title: 'Token', value: ({ token }) => token },
  ])
}

async function revokeDelegation(id: string): Promise<void> {
  const { client } = await connect()
  await client.call('revokeDelegation', { path: { delegation_id: id } })
  note(`The delegation ${id} is revoked, and everything below it.`)
}
