import { minimumPlans } from '@mandate/contract/words/plans'
import type { Sql } from '../../db/database.ts'
import { notFound, planRequired } from '../../refusal.ts'
import { findPlan } from './queries.ts'

/** @throws 402 for a plan below Pro, because it does not include connected platforms */
export async function requirePlan(db: Sql): Promise<void> {
  const found = await findPlan(db)
  if (!found) throw notFound('tenant')
  if (!found.reaches) throw planRequired(minimumPlans.platforms, found.plan)
}
