import { type ContentBindings, contentEndpoints } from '@mandate/contract/content'
import type { Policy } from '@mandate/contract/policies/policies'
import { policyEndpoints as endpoints } from '@mandate/contract/policies/policy-endpoints'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { on, Reply } from '../../http/routes/route.ts'
import { throwIfRefused } from '../../refusal.ts'
import { createRule, deleteRule, updateRule } from './change/change-rules.ts'
import {
  getContentBindings,
  getContentBindingsVersion,
  listContentBindingsVersions,
  replaceContentBindings,
} from './change/content-bindings.ts'
import { createPolicy } from './change/create-policy.ts'
import { deletePolicy } from './change/delete-policy.ts'
import { replacePolicy } from './change/replace-policy.ts'
import { restoreVersion } from './change/restore-version.ts'
import { updatePolicy } from './change/update-policy.ts'
import { entityTag } from './if-match.ts'
import { getPolicy, listPolicies } from './list/list-policies.ts'
import { requireRule, requireSavable, requireVisible } from './require-policy.ts'
import { placementRefusal, placeOfNewPolicy } from './rules.ts'
import { simulatePolicy, validatePolicy } from './simulate/simulate-policy.ts'
import { getVersion, listVersions } from './versions/list-versions.ts'

export const policyRoutes = [
  on(endpoints.listPolicies, (ctx, { query }) => listPolicies(ctx, query)),
  on(endpoints.createPolicy, async (ctx, { body }) => tagged(await createPolicy(ctx, body)), {
    beforeBadBody: async (ctx, _params, rawBody) => {
      const named = environmentNamed(rawBody)
      if (named) throwIfRefused(placementRefusal(ctx.actor, placeOfNewPolicy(ctx.actor, named.id)))
    },
  }),
  on(endpoints.validatePolicy, (ctx, { body }) => validatePolicy(ctx, body)),
  on(endpoints.getPolicy, async (ctx, { params, query }) =>
    tagged(await getPolicy(ctx, params.policy_id, query.include)),
  ),
  on(
    endpoints.updatePolicy,
    async (ctx, { params, body, headers }) =>
      tagged(await updatePolicy(ctx, params.policy_id, body, headers['if-match'])),
    { beforeBadBody: (ctx, params, rawBody) => beforeBadUpdate(ctx, params.policy_id, rawBody) },
  ),
  on(
    endpoints.replacePolicy,
    async (ctx, { params, body, headers }) =>
      tagged(await replacePolicy(ctx, params.policy_id, body, headers['if-match'])),
    { beforeBadBody: (ctx, params, rawBody) => beforeBadUpdate(ctx, params.policy_id, rawBody) },
  ),
  on(endpoints.deletePolicy, async (ctx, { params, headers }) => {
    await deletePolicy(ctx, params.policy_id, headers['if-match'])
    return undefined
  }),
  on(
    endpoints.createRule,
    async (ctx, { params, body, headers }) =>
      taggedRule(await createRule(ctx, params.policy_id, body, headers['if-match'])),
    { beforeBadBody: (ctx, params) => requireSavable(ctx.sql, ctx.actor, params.policy_id) },
  ),
  on(
    endpoints.updateRule,
    async (ctx, { params, body, headers }) =>
      taggedRule(await updateRule(ctx, addressOf(params), body, headers['if-match'])),
    { beforeBadBody: (ctx, params) => requireRule(ctx.sql, ctx.actor, params.policy_id, params.rule_id) },
  ),
  on(endpoints.deleteRule, async (ctx, { params, headers }) => {
    const version = await deleteRule(ctx, addressOf(params), headers['if-match'])
    return new Reply(undefined, { headers: { etag: entityTag(version) } })
  }),
  on(endpoints.simulatePolicy, (ctx, { params, body }) => simulatePolicy(ctx, params.policy_id, body), {
    beforeBadBody: (ctx, params) => requireVisible(ctx.sql, ctx.actor, params.policy_id),
  }),
  on(endpoints.listPolicyVersions, (ctx, { params, query }) => listVersions(ctx, params.policy_id, query)),
  on(endpoints.getPolicyVersion, (ctx, { params, query }) =>
    getVersion(ctx, params.policy_id, params.version, query.against),
  ),
  on(endpoints.restorePolicyVersion, async (ctx, { params, headers }) =>
    tagged(await restoreVersion(ctx, params.policy_id, params.version, headers['if-match'])),
  ),
  on(contentEndpoints.getContentBindings, async (ctx, { params }) =>
    taggedSet(await getContentBindings(ctx, params.policy_id)),
  ),
  on(
    contentEndpoints.replaceContentBindings,
    async (ctx, { params, body, headers }) =>
      taggedSet(await replaceContentBindings(ctx, params.policy_id, body, headers['if-match'])),
    { beforeBadBody: (ctx, params) => requireSavable(ctx.sql, ctx.actor, params.policy_id) },
  ),
  on(contentEndpoints.listContentBindingsVersions, (ctx, { params, query }) =>
    listContentBindingsVersions(ctx, params.policy_id, query),
  ),
  on(contentEndpoints.getContentBindingsVersion, (ctx, { params }) =>
    getContentBindingsVersion(ctx, params.policy_id, params.version),
  ),
]

function tagged<P extends Policy>(policy: P): Reply<P> {
  return new Reply(policy, { headers: { etag: entityTag(policy.version) } })
}

function taggedSet(set: ContentBindings): Reply<ContentBindings> {
  return new Reply(set, { headers: { etag: entityTag(set.version) } })
}

function taggedRule<R extends { policy_version: number }>(rule: R): Reply<R> {
  return new Reply(rule, { headers: { etag: entityTag(rule.policy_version) } })
}

function addressOf(params: { policy_id: string; rule_id: string }) {
  return { policyId: params.policy_id, ruleId: params.rule_id }
}

async function beforeBadUpdate(ctx: Ctx<Member>, policyId: string, rawBody: unknown): Promise<void> {
  await requireSavable(ctx.sql, ctx.actor, policyId)
  const named = environmentNamed(rawBody)
  if (named?.id !== undefined) throwIfRefused(placementRefusal(ctx.actor, named.id))
}

/**
 * Reads `environment_id` from a malformed body. `id` is undefined if the field is missing. Returns undefined if the field itself is
 * malformed.
 */
function environmentNamed(rawBody: unknown): { id: string | null | undefined } | undefined {
  if (typeof rawBody !== 'object' || rawBody === null) return undefined
  const id = (rawBody as { environment_id?: unknown }).environment_id
  if (typeof id === 'string') return { id: id.toLowerCase() }
  return id === null || id === undefined ? { id } : undefined
}
