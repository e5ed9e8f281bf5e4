import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { expectThat } from './expect-that.ts'

type Agent = Schema<'Agent'>

/**
 * Approves the pending reviews of one kind, one review for each agent.
 * @throws Failure unless each agent, and no other agent, has exactly one pending review of this kind
 */
export async function approveReviews(
  reviewer: Client,
  kind: Schema<'Review'>['kind'],
  agents: readonly Agent[],
  comment: string,
): Promise<void> {
  const { data: pending } = await reviewer.call('listReviews', { query: { status: 'pending', kind } })
  expectThat(pending.length === agents.length, `${agents.length} ${kind} reviews wait`)
  for (const { id, name } of agents) {
    const review = pending.find(({ agent_id }) => agent_id === id)
    expectThat(review !== undefined, `${name} waits for a ${kind} review`)
    await reviewer.call('resolveReview', { path: { review_id: review.id }, body: { outcome: 'approved', comment } })
  }
}
