import { isUuid } from '@mandate/contract/fields/is-uuid'
import { findingTypes, severities } from '@mandate/contract/words/agent-words'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { type Command, Option } from 'commander'
import { connect } from '../connection/connect.ts'
import { agentNames } from '../find/agent-names.ts'
import { agentId } from '../find/find-agent.ts'
import { findEnvironment } from '../find/find-environment.ts'
import { onlyOne } from '../find/find-one.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { type ListOptions, showDone, showList, withList } from '../output/show.ts'
import { statusQuery, withStatus } from '../output/status.ts'
import { type Column, minute } from '../output/table.ts'

type Finding = Schema<'Finding'>

interface Options extends ListOptions {
  agent?: string
  status: 'open' | 'closed' | 'all'
  type?: Finding['type']
  severity?: Finding['severity']
  environment?: string
  sort?: 'opened_at' | 'attention'
}

/** Adds `findings …`. `accept` takes the id of a finding, or an agent whose open `decision_gap` is meant. */
export function addFindingCommands(program: Command): void {
  const findings = program.command('findings').description('agents that need attention: drift, gaps, stale evidence')
  withStatus(withList(findings.command('list').description('list findings, newest first')), ['open', 'closed'], 'open')
    .option('--agent <agent>', 'only findings about this agent: its id or name')
    .option('--environment <environment>', 'only findings about agents of this environment: its slug, id or name')
    .addOption(new Option('--type <type>').choices(findingTypes))
    .addOption(new Option('--severity <severity>').choices(severities))
    .addOption(
      new Option('--sort <order>', 'attention: open ones first, then the highest severity').choices([
        'opened_at',
        'attention',
      ]),
    )
    .action(listFindings)
  withOutput(findings.command('accept <finding>').description('close a decision_gap whose records are lost'))
    .requiredOption('--reason <text>', 'why; kept with the finding')
    .action(accept)
}

async function accept(named: string, { reason, ...output }: OutputOptions & { reason: string }): Promise<void> {
  const { client } = await connect()
  const finding_id = await findingId(client, named)
  const finding = await client.call('acceptFinding', { path: { finding_id }, body: { reason } })
  showDone(`The finding ${finding.type} is ${finding.status}.`, finding, output)
}

async function findingId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const query = { agent_id: await agentId(client, named), type: 'decision_gap', status: 'open' } as const
  const { data } = await client.call('listFindings', { query })
  return onlyOne('open decision_gap', named, data, ({ opened_at }) => `opened ${minute(opened_at)} UTC`).id
}

async function listFindings({ agent, status, type, severity, environment, sort, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const query = {
    ...(agent !== undefined && { agent_id: await agentId(client, agent) }),
    ...(environment !== undefined && { environment_id: await findEnvironment(client, environment) }),
    ...statusQuery(status),
    type,
    severity,
    sort,
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

const columns = (nameOf: (agentId: string) => string): Column<Finding>[] => [
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'SEVERITY', value: ({ severity }) => severity, color: ({ severity }) => severityColor(severity) },
  { title: 'STATUS', value: (finding) => finding.status },
  { title: 'OPENED_AT (UTC)', value: ({ opened_at }) => minute(opened_at) },
  { title: 'AGENT', value: ({ agent_id }) => nameOf(agent_id) },
  { title: 'REMEDIATION', value: ({ remediation }) => remediation },
]

function severityColor(severity: string): 'red' | 'yellow' {
  return severity === 'high' || severity === 'critical' ? 'red' : 'yellow'
}
