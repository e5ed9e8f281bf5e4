import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import type { Command } from 'commander'
import { connect } from './connection/connect.ts'
import { agentNames } from './find/agent-names.ts'
import { agentId } from './find/find-agent.ts'
import { type ListOptions, showList, withList } from './output/show.ts'
import { statusQuery, withStatus } from './output/status.ts'
import { type Column, minute } from './output/table.ts'

interface Options extends ListOptions {
  agent?: string
  status: 'open' | 'closed' | 'all'
}

/** Adds `findings list`. */
export function addFindingCommands(program: Command): void {
  const findings = program.command('findings').description('agents that need attention: drift, gaps, stale evidence')
  withStatus(withList(findings.command('list').description('list findings, newest first')), ['open', 'closed'], 'open')
    .option('--agent <agent>', 'only findings about this agent: its id or name')
    .action(listFindings)
}

async function listFindings({ agent, status, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const query = {
    ...(agent !== undefined && { agent_id: await agentId(client, agent) }),
    ...statusQuery(status),
  }
  await showList(
    eachOf(client, 'listFindings', { query }),
    output,
    async (rows) =>
      columns(
        await agentNames(
          client,
          rows.map(({ agent_id }) => agent_id),
        ),
      ),
    status === 'all' ? 'No findings.' : `No ${status} findings.`,
  )
}

const columns = (nameOf: (agentId: string) => string): Column<Schema<'Finding'>>[] => [
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'SEVERITY', value: ({ severity }) => severity, color: ({ severity }) => severityColor(severity) },
  { title: 'STATUS', value: (finding) => finding.status },
  { title: 'OPENED (UTC)', value: ({ opened_at }) => minute(opened_at) },
  { title: 'AGENT', value: ({ agent_id }) => nameOf(agent_id) },
  { title: 'WHAT TO DO', value: ({ remediation }) => remediation },
]

function severityColor(severity: string): 'red' | 'yellow' {
  return severity === 'high' || severity === 'critical' ? 'red' : 'yellow'
}
