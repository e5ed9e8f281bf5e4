import { minimumPlans } from '@mandate/contract/words/plans'
import type { Sql } from '../../../db/database.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { findPlan } from '../queries.ts'
import { contentRulesRefusal, type PlanStanding } from '../rules.ts'

/** Returns the tenant's plan, and whether it includes content rules. */
export const readContentPlan = (db: Sql): Promise<PlanStanding> => findPlan(db, minimumPlans.contentRules)

/** @throws 402 if the tenant's plan does not include content rules */
export async function requireContentPlan(db: Sql): Promise<void> {
  throwIfRefused(contentRulesRefusal(await readContentPlan(db)))
}
