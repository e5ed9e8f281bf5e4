import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { expectThat } from './expect-that.ts'

type Agent = Schema<'Agent'>

/**
 * Approves the pending reviews of one kind for the given agents.
 * @throws Failure if a given agent does not have exactly one pending review of this kind, or if another agent has one
 */
export async function approveReviews(
  reviewer: Client,
  kind: Schema<'Review'>['kind'],
  agents: readonly Agent[],
  comment: string,
): Promise<void> {
  const { data: pending } = await reviewer.call('listReviews', { query: { status: 'pending', kind } })
  expectThat(pending.length === agents.length, `${agents.length} ${kind} reviews are pending`)
  for (const { id, name } of agents) {
    const review = pending.find(({ agent_id }) => agent_id === id)
    expectThat(review !== undefined, `${name} has a pending ${kind} review`)
    await reviewer.call('resolveReview', { path: { review_id: review.id }, body: { outcome: 'approved', comment } })
  }
}
