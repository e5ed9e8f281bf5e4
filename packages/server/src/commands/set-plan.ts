import { recordAudit } from '../audit/record-audit.ts'
import { raw } from '../db/statements/statement.ts'
import { asOperator } from './open-for-operator.ts'

export interface PlanAnswer {
  tenant_id: string
  plan: string
  /** The user limit that applies. Null means that there is no limit. */
  max_users: number | null
}

/**
 * Sets the plan of a tenant. `maxUsers` overrides the user limit of the plan. Null means that the plan's limit applies.
 */
export async function setPlan(tenantId: string, plan: string, maxUsers: number | null): Promise<PlanAnswer> {
  return await asOperator(tenantId, async ({ tenant, by, tx }) => {
    const plans = await tx.all(
      raw<{ name: string; max_users: number | null }>('select name, max_users from plans order by rank', []),
    )
    const chosen = plans.find(({ name }) => name === plan)
    if (!chosen) throw new Error(`there is no plan ${plan}; there are ${plans.map(({ name }) => name).join(', ')}`)
    const answer = { tenant_id: tenant.id, plan, max_users: maxUsers ?? chosen.max_users }
    if (tenant.plan === plan && tenant.maxUsersOverride === maxUsers) return answer
    await tx.all(
      raw('update tenants set plan = $2, max_users_override = $3 where id = $1', [tenant.id, plan, maxUsers]),
    )
    await recordAudit(tx, by, 'tenant.plan_changed', {
      resource: { type: 'tenant', id: tenant.id, name: tenant.name },
      details: { old_plan: tenant.plan, new_plan: plan, max_users: answer.max_users },
    })
    return answer
  })
}
