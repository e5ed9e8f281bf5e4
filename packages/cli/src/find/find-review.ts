import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Failure } from '../invocation/failure.ts'
import { minute } from '../output/table.ts'
import { agentId } from './find-agent.ts'
import { onlyOne } from './find-one.ts'

/**
 * Finds a review by its id, or by its agent if the agent has only one pending review.
 * @returns its id
 */
export async function reviewId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const query = { agent_id: await agentId(client, named), status: 'pending' as const }
  const found: Schema<'Review'>[] = []
  for await (const review of eachOf(client, 'listReviews', { query })) found.push(review)
  if (found.length === 0) {
    throw new Failure(`${named} has no pending review`, {
      hint: 'to list resolved reviews: mandate reviews list --status all',
    })
  }
  return onlyOne('pending review', named, found, ({ kind, opened_at }) => `${kind}, opened ${minute(opened_at)} UTC`).id
}
