import type { Member } from '../../../authz/actor.ts'
import { byAccessOnly, type May, mayWith, type Rules } from '../../../authz/may.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { keyChangeRefusal, newKeyRefusal } from '../../api-keys/rules.ts'
import { changeRefusal as environmentRefusal } from '../../environments/rules.ts'
import { scopeRefusal as freezeRefusal } from '../../freezes/rules.ts'
import { placementRefusal as policyPlacementRefusal } from '../../policies/rules.ts'
import { placementRefusal as reportPlacementRefusal } from '../../reports/rules.ts'
import { tenantRules } from '../../tenants/rules.ts'
import { type LeavingStanding, readLeaving } from '../../users/leave-tenant.ts'
import { leavingRefusal } from '../../users/rules.ts'

/**
 * The actions without a subject. The caller has only one tenant, so its actions are here too. The variant `organization` is the
 * action for the whole organization, without an environment.
 */
const sessionRules: Rules<LeavingStanding> = {
  createAgent: byAccessOnly,
  createApiKey: keyChangeRefusal,
  'createApiKey:organization': (actor) => keyChangeRefusal(actor) ?? newKeyRefusal(actor, null),
  createEdge: byAccessOnly,
  createEnvironment: environmentRefusal,
  createFreeze: byAccessOnly,
  'createFreeze:organization': (actor) => freezeRefusal(actor, 'organization'),
  createPolicy: byAccessOnly,
  'createPolicy:organization': (actor) => policyPlacementRefusal(actor, null),
  validatePolicy: byAccessOnly,
  createReport: byAccessOnly,
  'createReport:organization': (actor) => reportPlacementRefusal(actor, null),
  connectPlatform: byAccessOnly,
  startAuditVerification: byAccessOnly,
  removeMyself: (_, standing) => leavingRefusal(standing),
  ...tenantRules,
}

/** Returns what the caller may do without a subject. */
export async function mayInSession(ctx: Ctx<Member>): Promise<May> {
  return mayWith(ctx.actor, sessionRules)(await readLeaving(ctx))
}
