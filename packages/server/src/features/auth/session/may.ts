import type { Member } from '../../../authz/actor.ts'
import { byAccessOnly, type May, mayWith, type Rules } from '../../../authz/may.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { keyChangeRefusal, newKeyRefusal } from '../../api-keys/rules.ts'
import { patternChangeRefusal } from '../../content/rules.ts'
import { changeRefusal as environmentRefusal } from '../../environments/rules.ts'
import { scopeRefusal as freezeRefusal } from '../../freezes/rules.ts'
import { readContentPlan } from '../../policies/change/content-plan.ts'
import {
  contentRulesRefusal,
  type PlanStanding,
  placementRefusal as policyPlacementRefusal,
} from '../../policies/rules.ts'
import { placementRefusal as reportPlacementRefusal } from '../../reports/rules.ts'
import { tenantRules } from '../../tenants/rules.ts'
import { type LeavingStanding, readLeaving } from '../../users/remove/leave-tenant.ts'
import { leavingRefusal } from '../../users/rules.ts'

interface SessionStanding {
  leaving: LeavingStanding
  plan: PlanStanding
}

/**
 * The actions without a subject. The caller has only one tenant, so its actions are here too. The variant `organization` is the
 * action for the whole organization, without an environment. The variant `content` is a policy with content rules.
 */
const sessionRules: Rules<SessionStanding> = {
  createAgent: byAccessOnly,
  changeAgents: byAccessOnly,
  createApiKey: keyChangeRefusal,
  'createApiKey:organization': (actor) => keyChangeRefusal(actor) ?? newKeyRefusal(actor, null),
  createContentPattern: patternChangeRefusal,
  testContentPatterns: byAccessOnly,
  createCredential: byAccessOnly,
  createEdge: byAccessOnly,
  createEnvironment: environmentRefusal,
  createFreeze: byAccessOnly,
  'createFreeze:organization': (actor) => freezeRefusal(actor, 'organization'),
  createPolicy: byAccessOnly,
  'createPolicy:organization': (actor) => policyPlacementRefusal(actor, null),
  'createPolicy:content': (_, { plan }) => contentRulesRefusal(plan),
  validatePolicy: byAccessOnly,
  createReport: byAccessOnly,
  'createReport:organization': (actor) => reportPlacementRefusal(actor, null),
  connectPlatform: byAccessOnly,
  startAuditVerification: byAccessOnly,
  removeMyself: (_, { leaving }) => leavingRefusal(leaving),
  ...tenantRules,
}

/** Returns what the caller may do without a subject. */
export async function mayInSession(ctx: Ctx<Member>): Promise<May> {
  const [leaving, plan] = await Promise.all([readLeaving(ctx), readContentPlan(ctx.sql)])
  return mayWith(ctx.actor, sessionRules)({ leaving, plan })
}
