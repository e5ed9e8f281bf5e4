import { isDeepStrictEqual } from 'node:util'
import { AgentUpdate } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { findFacetNames } from '../list/facet-queries.ts'
import type { AgentRow } from '../queries.ts'
import { changeAgent } from './change-agent.ts'
import { requireOwnerInTenant } from './create-agent.ts'

const fields = Object.keys(AgentUpdate.shape) as (keyof AgentUpdate)[]

/**
 * Changes an agent. `input` contains the new values of the fields to change. The other fields keep their values.
 * @throws 404; 400 if the owner is not a user of the tenant
 */
export function updateAgent(ctx: Ctx<Member>, id: string, input: AgentUpdate): Promise<string> {
  return changeAgent(ctx, id, async (agent, tx) => {
    const changed = fields.filter(
      (field) => input[field] !== undefined && !isDeepStrictEqual(input[field], agent[field]),
    )
    if (changed.length === 0) return null
    const owners = changed.includes('owner_user_id') ? await changeOfOwner(tx, agent, input.owner_user_id) : {}
    const { metadata, ...rest } = Object.fromEntries(changed.map((field) => [field, input[field]]))
    const set = { ...rest, ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }) }
    return { set, event: 'agent.updated', details: { fields: changed, ...owners } }
  })
}

/** Returns the old and the new owner for the audit entry, because the owner decides who may resolve approvals of the agent. */
async function changeOfOwner(tx: Tx, { owner_user_id: oldId }: AgentRow, newId: string | undefined) {
  await requireOwnerInTenant(tx, newId)
  const names = await findFacetNames(
    tx,
    [oldId, newId].filter((id) => id != null),
  )
  const nameOf = (id: string | null | undefined) => (id && names.get(id)) ?? null
  return {
    old_owner_user_id: oldId,
    old_owner_name: nameOf(oldId),
    new_owner_user_id: newId ?? null,
    new_owner_name: nameOf(newId),
  }
}
