import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { Failure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { showDone } from '../output/show.ts'
import { versionOf } from './show-agent.ts'

type Review = Schema<'Review'>
/**
 * If several reviews are pending, the review whose kind comes first in this list is resolved. Its approval supersedes the other
 * reviews.
 */
const order: Review['kind'][] = ['onboarding', 'change', 'attestation']

interface Options extends OutputOptions {
  reason: string
  direct?: boolean
}

/**
 * Approves an agent by resolving its pending review. This sets the agent's approval of record (the approved policy version that
 * drift is measured against). With `direct`, approves without a review and leaves the approval of record unchanged.
 * @throws Failure if no review is pending and `direct` is not set
 */
export async function approveAgent(named: string, { reason, direct, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const agent_id = await agentId(client, named)
  if (direct) return await approveDirectly(client, agent_id, reason, output)
  const review = await pendingReview(client, agent_id)
  if (!review) {
    throw new Failure(`${named} has no pending review to approve`, {
      hint: withoutReview(named),
    })
  }
  await client.call('resolveReview', { path: { review_id: review.id }, body: { outcome: 'approved', comment: reason } })
  const agent = await client.call('getAgent', { path: { agent_id } })
  showDone(`${agent.name} is approved by its ${review.kind} review; ${recordOf(agent)}.`, agent, output)
}

async function approveDirectly(client: Client, agent_id: string, reason: string, output: OutputOptions): Promise<void> {
  const before = await client.call('getAgent', { path: { agent_id } })
  if (before.lifecycle_status === 'approved')
    return showDone(`${before.name} is already approved; nothing changed.`, before, output)
  const body = { lifecycle_status: 'approved' as const, reason }
  const agent = await client.call('changeLifecycle', { path: { agent_id }, body })
  const record = agent.approved_policy
    ? `its approval of record stays ${versionOf(agent.approved_policy, agent.policy)}`
    : 'this sets no approval of record, so drift is not detected'
  showDone(`${agent.name} is approved without a review; ${record}.`, agent, output)
}

async function pendingReview(client: Client, agent_id: string): Promise<Review | undefined> {
  const pending: Review[] = []
  for await (const review of eachOf(client, 'listReviews', { query: { agent_id, status: 'pending' } })) {
    pending.push(review)
  }
  return pending.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0]
}

function recordOf({ approved_policy, policy }: Schema<'Agent'>): string {
  if (!approved_policy) return 'it has no policy, so there is no approval of record and drift is not detected'
  return `the approval of record is ${versionOf(approved_policy, policy)}`
}

function withoutReview(named: string): string {
  const agent = /^[\w-]+$/.test(named) ? named : JSON.stringify(named)
  return [
    `to approve with an approval of record: mandate reviews request ${agent}, then this command again`,
    `to approve without one, so that drift is not detected: mandate agents approve ${agent} --direct --reason …`,
  ].join('\n  ')
}
