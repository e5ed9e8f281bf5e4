import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { type Command, Option } from 'commander'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { onlyOne } from '../find/find-one.ts'
import { policyName } from '../find/find-policy.ts'
import { userNames } from '../find/user-names.ts'
import { Failure } from '../invocation/failure.ts'
import { timeExamples } from '../options/time-examples.ts'
import { timeFrom } from '../options/time-option.ts'
import { dataFormat, type OutputOptions, withOutput } from '../output/format.ts'
import { printable } from '../output/printable.ts'
import { type ListOptions, showDone, showList, showOne, withList } from '../output/show.ts'
import { noneOf, statusColumn, statusesQuery, withStatuses } from '../output/status.ts'
import { type Column, minute } from '../output/table.ts'

type Approval = Schema<'Approval'>
const statuses = ['pending', 'approved', 'rejected', 'expired', 'consumed'] as const
const decisions = [
  ['approve', 'approved', 'let a held call pass once'],
  ['reject', 'rejected', 'reject a held call'],
] as const

interface Options extends ListOptions {
  status: (Approval['status'] | 'all')[]
  agent?: string
  mine?: boolean
  from?: string
  sort?: 'requested_at' | 'expires_at'
}

/** Adds `approvals …`. The commands take the id of an approval. They also take an agent if only one call of that agent is pending. */
export function addApprovalCommands(program: Command): void {
  const approvals = program.command('approvals').description('tool calls that an edge holds until a person decides')
  withStatuses(withList(approvals.command('list').description('list held calls, newest first')), statuses, 'pending')
    .option('--agent <agent>', 'only calls of this agent: its id or name')
    .option('--mine', 'only calls that you could decide now')
    .option('--from <time>', `requested at this time or later, such as ${timeExamples}`)
    .addOption(new Option('--sort <order>', 'expires_at: the soonest first').choices(['requested_at', 'expires_at']))
    .action(listApprovals)
  withOutput(approvals.command('show <approval>').description('show a held call and its visible arguments')).action(
    showApproval,
  )
  for (const [verb, outcome, what] of decisions) {
    withOutput(approvals.command(`${verb} <approval>`).description(what))
      .option('--comment <text>', 'why; kept with the approval')
      .action((id, options) => resolve(id, outcome, options))
  }
}

async function listApprovals({ status, agent, mine, from, sort, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const query = {
    ...statusesQuery(status),
    ...(agent !== undefined && { agent_id: await agentId(client, agent) }),
    ...(mine && { mine: 'true' as const }),
    ...(from !== undefined && { from: timeFrom('--from', from) }),
    sort,
  }
  const empty = status.includes('all') ? 'No held calls.' : noneOf(status, 'calls')
  await showList(eachOf(client, 'listApprovals', { query }), output, (found) => columnsFor(client, found), empty)
}

async function columnsFor(client: Client, found: readonly Approval[]): Promise<Column<Approval>[]> {
  const nameOf = await userNames(
    client,
    found.map(({ resolved_by }) => resolved_by),
  )
  const decided: Column<Approval>[] = [
    { title: 'RESOLVED_BY', value: ({ resolved_by }) => nameOf(resolved_by) },
    { title: 'RESOLVED_AT (UTC)', value: ({ resolved_at }) => minute(resolved_at) },
  ]
  return found.some(({ resolved_at }) => resolved_at !== null) ? [...columns, ...decided] : columns
}

const columns: Column<Approval>[] = [
  { title: 'ID', value: ({ id }) => id },
  statusColumn(),
  { title: 'ASSIGNED_ROLE', value: ({ assigned_role }) => assigned_role },
  { title: 'EXPIRES_AT (UTC)', value: ({ expires_at }) => minute(expires_at) },
  { title: 'AGENT_NAME', value: ({ agent_name }) => agent_name },
  { title: 'TOOL', value: ({ tool }) => tool },
  { title: 'RULE_NAME', value: ({ rule_name }) => rule_name ?? '(default)' },
  { title: 'REASON', value: ({ reason }) => reason },
]

async function showApproval(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const approval_id = await approvalId(client, named)
  const approval = await client.call('getApproval', { path: { approval_id } })
  if (dataFormat(options)) return showOne(approval, options, [])
  const [policy, nameOf] = await Promise.all([
    policyName(client, approval.policy_id),
    userNames(client, [approval.resolved_by]),
  ])
  showOne(approval, options, [
    { title: 'Tool', value: ({ tool }) => tool },
    { title: 'Arguments', value: (one) => (one.arguments ? JSON.stringify(one.arguments) : 'not shown') },
    { title: 'Shown', value: (one) => shownPart(one) },
    { title: 'Digest', value: ({ args_digest }) => args_digest },
    { title: 'Agent', value: ({ agent_name, agent_id }) => `${agent_name} (${agent_id})` },
    { title: 'Edge', value: ({ edge }) => edge?.name },
    { title: 'Session', value: ({ session_id }) => session_id },
    { title: 'On behalf of', value: (one) => one.on_behalf_of },
    {
      title: 'Delegated by',
      value: ({ chain }) => chain.map(({ type, name }) => `${type} ${name}`).join(', ') || null,
    },
    { title: 'Labels', value: ({ labels }) => labels.join(' ') || null },
    { title: 'Policy', value: ({ policy_version }) => `version ${policy_version} of ${policy}` },
    { title: 'Rule', value: ({ rule_name }) => rule_name ?? '(default)' },
    { title: 'Reason', value: ({ reason }) => reason },
    { title: 'Status', value: ({ status }) => status },
    { title: 'Ended because', value: (one) => one.ended_because },
    { title: 'Freeze', value: (one) => one.freeze_id },
    { title: 'For', value: ({ assigned_role }) => assigned_role },
    { title: 'Requested', value: ({ requested_at }) => requested_at },
    { title: 'Expires', value: ({ expires_at }) => expires_at },
    { title: 'Decided by', value: ({ resolved_by }) => nameOf(resolved_by) },
    { title: 'Decided', value: ({ resolved_at }) => resolved_at },
    { title: 'Comment', value: ({ comment }) => comment },
  ])
}

function shownPart({ arguments: shown, arguments_exact: isExact }: Approval): string | null {
  if (shown === null || isExact === null) return null
  return isExact ? 'all arguments' : 'a part: the edge shortened or redacted them'
}

async function resolve(
  named: string,
  outcome: 'approved' | 'rejected',
  { comment, ...output }: OutputOptions & { comment?: string },
): Promise<void> {
  const { client } = await connect()
  const approval_id = await approvalId(client, named)
  const body = { outcome, comment }
  const approval = await client.call('resolveApproval', { path: { approval_id }, body })
  const next =
    outcome === 'approved'
      ? `The agent may repeat the call once until ${approval.expires_at}.`
      : `The same call stays denied until ${approval.expires_at}.`
  showDone(`${approval.tool} of ${approval.agent_name} is ${approval.status}. ${next}`, approval, output)
}

async function agentOf(client: Client, named: string): Promise<string> {
  try {
    return await agentId(client, named)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(`${printable(named)} is not the id of an approval, and ${error.message}`, {
      hint: error.hint ?? 'mandate approvals list shows the ids',
    })
  }
}

async function approvalId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const query = { agent_id: await agentOf(client, named), status: 'pending' as const }
  const found: Approval[] = []
  for await (const approval of eachOf(client, 'listApprovals', { query })) found.push(approval)
  return onlyOne('held call', named, found, ({ tool, requested_at }) => `${tool}, ${minute(requested_at)} UTC`).id
}
