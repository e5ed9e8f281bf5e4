import { reviewKinds } from '@mandate/contract/reviews'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { closedByArchiving } from '../../findings/rules.ts'
import { changeAgent } from './change-agent.ts'

/**
 * Archives an agent. Its edge denies everything from the next heartbeat, and its pending reviews are superseded.
 * Does nothing if the agent is already archived.
 * @throws 404
 */
export async function archiveAgent(ctx: Ctx<Member>, id: string): Promise<void> {
  await changeAgent(ctx, id, ({ status }) => {
    if (status === 'archived') return null
    const details = { previous_state: status }
    return {
      set: { status: 'archived' },
      event: 'agent.archived',
      details,
      ends: closedByArchiving,
      supersedes: reviewKinds,
    }
  })
}
