import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Argument, type Command, Option } from 'commander'
import { connect } from '../connection/connect.ts'
import { agentNames } from '../find/agent-names.ts'
import { agentId } from '../find/find-agent.ts'
import { reviewId } from '../find/find-review.ts'
import { Failure } from '../invocation/failure.ts'
import { timeExamples } from '../options/time-examples.ts'
import { timeFrom } from '../options/time-option.ts'
import { versionNumber } from '../options/version-option.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { type ListOptions, showDone, showList, withList } from '../output/show.ts'
import { noneOf, statusColumn, statusesQuery, withStatuses } from '../output/status.ts'
import { type Column, minute } from '../output/table.ts'
import { showReview } from './show-review.ts'

type Review = Schema<'Review'>
const outcomes = { approve: 'approved', reject: 'rejected', attest: 'attested' } as const
const statuses = ['pending', 'approved', 'rejected', 'attested', 'superseded'] as const

interface Options extends ListOptions {
  status: (Review['status'] | 'all')[]
  kind?: Review['kind']
  agent?: string
  mine?: boolean
  from?: string
}

/** Adds `reviews …`. Commands take a review's id, or its agent if the agent has only one pending review. */
export function addReviewCommands(program: Command): void {
  const reviews = program.command('reviews').description('people’s decisions about agents')
  withStatuses(withList(reviews.command('list').description('list reviews, newest first')), statuses, 'pending')
    .addOption(new Option('--kind <kind>').choices(['onboarding', 'change', 'attestation']))
    .option('--agent <agent>', 'only reviews of this agent: its id or name')
    .option('--mine', 'only reviews that you could resolve now')
    .option('--from <time>', `opened at this time or later, such as ${timeExamples}`)
    .action(listReviews)
  withOutput(reviews.command('show <review>').description('show a review and what an approval would approve')).action(
    showReview,
  )
  withOutput(reviews.command('resolve <review>').description('approve, reject or attest a review'))
    .addArgument(new Argument('<outcome>').choices(Object.keys(outcomes)))
    .requiredOption('--comment <text>', 'why; kept with the review')
    .addOption(
      new Option(
        '--policy-version <number>',
        'the version that `reviews show` shows; the command fails if another version would be approved',
      ).argParser(versionNumber),
    )
    .action(resolve)
  withOutput(reviews.command('request <agent>').description('ask for an attestation review of an agent')).action(
    request,
  )
}

async function listReviews({ status, kind, agent, mine, from, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const query = {
    ...statusesQuery(status),
    ...(kind && { kind }),
    ...(agent !== undefined && { agent_id: await agentId(client, agent) }),
    ...(mine && { mine: 'true' as const }),
    ...(from !== undefined && { from: timeFrom('--from', from) }),
  }
  const empty = noneOf(status, 'reviews')
  const columns = async (rows: readonly Review[]) => columnsWith(await agentNames(client, rows.map(agentOf)))
  await showList(eachOf(client, 'listReviews', { query }), output, columns, empty)
}

const agentOf = ({ agent_id }: Review) => agent_id

const columnsWith = (nameOf: (agentId: string) => string): Column<Review>[] => [
  { title: 'ID', value: ({ id }) => id },
  { title: 'KIND', value: ({ kind }) => kind },
  statusColumn(),
  { title: 'ASSIGNED_ROLE', value: ({ assigned_role }) => assigned_role },
  { title: 'OPENED_AT (UTC)', value: ({ opened_at }) => minute(opened_at) },
  { title: 'AGENT', value: ({ agent_id }) => nameOf(agent_id) },
  { title: 'COMMENT', value: ({ comment }) => comment },
]

async function request(named: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const agent_id = await agentId(client, named)
  const review = await client.call('openReview', { path: { agent_id }, body: { kind: 'attestation' } })
  showDone(`The attestation review ${review.id} of ${named} waits for a ${review.assigned_role}.`, review, output)
}

async function resolve(
  named: string,
  outcome: keyof typeof outcomes,
  { comment, policyVersion, ...output }: OutputOptions & { comment: string; policyVersion?: number },
): Promise<void> {
  const { client } = await connect()
  const review_id = await reviewId(client, named)
  const policy = policyVersion === undefined ? {} : { policy: await policyAt(client, review_id, policyVersion) }
  const body = { outcome: outcomes[outcome], comment, ...policy }
  const review = await client.call('resolveReview', { path: { review_id }, body })
  showDone(`The ${review.kind} review is ${review.status}.`, review, output)
}

/** The version of the policy that an approval of the review approves. */
async function policyAt(client: Client, review_id: string, version: number) {
  const { agent_id, kind } = await client.call('getReview', { path: { review_id } })
  const { policy, running_policy } = await client.call('getAgent', { path: { agent_id } })
  const proposed = kind === 'change' ? running_policy : policy
  if (!proposed)
    throw new Failure(`the agent has no version ${version} to approve`, {
      hint: `see: mandate reviews show ${review_id}`,
    })
  return { policy_id: proposed.id, version }
}
