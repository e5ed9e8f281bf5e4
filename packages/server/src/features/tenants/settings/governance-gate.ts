import type { Tenant } from '@mandate/contract/tenants'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { lockTenant } from '../lock-tenant.ts'
import { updateGovernanceGate } from '../queries.ts'
import { gateRefusal } from '../rules.ts'
import { getOwnTenant } from './get-tenant.ts'

type Gate = Tenant['governance_gate']

/** Returns the setting that decides the initial lifecycle status of a new agent. */
export async function getGovernanceGate(ctx: Ctx<Member>): Promise<{ gate: Gate }> {
  return { gate: (await getOwnTenant(ctx)).governance_gate }
}

export function requireMaySetGate(ctx: Ctx<Member>): void {
  throwIfRefused(gateRefusal(ctx.actor))
}

/** Sets the governance gate, which decides the initial lifecycle status of new agents. Existing agents keep their status. */
export async function setGovernanceGate(ctx: Ctx<Member>, gate: Gate): Promise<{ gate: Gate }> {
  requireMaySetGate(ctx)
  return await ctx.inTenant(async (tx) => {
    const { id, name, governance_gate: old } = await lockTenant(tx)
    if (old === gate) return { gate }
    await updateGovernanceGate(tx, gate)
    const details = { old, new: gate }
    await recordAudit(tx, ctx, 'governance_gate.changed', { resource: { type: 'tenant', id, name }, details })
    return { gate }
  })
}
