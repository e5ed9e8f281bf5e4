import { driftText } from '../agents/drift-text.ts'
import { versionOf } from '../agents/show-agent.ts'
import { connect } from '../connection/connect.ts'
import { reviewId } from '../find/find-review.ts'
import { userNames } from '../find/user-names.ts'
import { dataFormat, type OutputOptions } from '../output/format.ts'
import { print } from '../output/print.ts'
import { showOne } from '../output/show.ts'
import { minute } from '../output/table.ts'
import { proposedPolicyLines } from './proposed-policy.ts'

/** Shows a review and its agent. For a pending review, also shows what an approval would approve. */
export async function showReview(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const review = await client.call('getReview', { path: { review_id: await reviewId(client, named) } })
  if (dataFormat(options)) return showOne(review, options, [])
  const agent = await client.call('getAgent', { path: { agent_id: review.agent_id } })
  const nameOf = await userNames(client, [review.requested_by, review.resolved_by])
  showOne(review, options, [
    { title: 'Agent', value: () => `${agent.name} (${agent.id})` },
    { title: 'Environment', value: () => agent.environment?.slug },
    { title: 'Lifecycle', value: () => agent.lifecycle_status },
    { title: 'Kind', value: ({ kind }) => kind },
    { title: 'Status', value: ({ status }) => status },
    { title: 'For', value: (one) => one.assigned_role },
    { title: 'Requested by', value: (one) => nameOf(one.requested_by) },
    { title: 'Opened', value: ({ opened_at }) => `${minute(opened_at)} UTC` },
    { title: 'Resolved by', value: (one) => nameOf(one.resolved_by) },
    { title: 'Resolved', value: ({ resolved_at }) => resolved_at && `${minute(resolved_at)} UTC` },
    { title: 'Comment', value: ({ comment }) => comment },
    { title: 'Policy', value: () => agent.policy && `${agent.policy.name} v${agent.policy.version}` },
    {
      title: 'Approval of record',
      value: () => agent.approved_policy && versionOf(agent.approved_policy, agent.policy),
    },
    { title: 'Running', value: () => agent.running_policy && versionOf(agent.running_policy, agent.policy) },
    { title: 'Drift', value: () => driftText(agent.drift) },
    { title: 'Coverage', value: () => agent.execution_coverage_state },
    {
      title: 'Open findings',
      value: () => agent.execution_coverage.findings.map(({ type }) => type).join(', ') || 'none',
    },
    { title: 'Tools', value: () => agent.tools.join(' ') },
    { title: 'Id', value: ({ id }) => id },
  ])
  if (review.status !== 'pending') return
  for (const line of ['', ...(await proposedPolicyLines(client, review, agent))]) print(line)
}
